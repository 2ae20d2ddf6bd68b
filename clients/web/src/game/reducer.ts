// What a table looks like: the sum of what its stream has sent.
import { create } from "@bufbuild/protobuf";
import { MeldKind, MeldSchema } from "../gen/mahjongplanet/game/v1/terms_pb";
import {
  HandSnapshotSchema,
  SeatViewSchema,
  TablePhase,
  type Claimed,
  type Discarded,
  type Drew,
  type HandDealt,
  type HandEnded,
  type HandSnapshot,
  type KongDeclared,
  type KongRobbed,
  type SeatView,
  type TableEvent,
  type TableSnapshot,
  type TurnStarted,
} from "../gen/mahjongplanet/table/v1/event_pb";
import type { TableStatus, WatchTableResponse } from "../gen/mahjongplanet/table/v1/table_service_pb";
import { sortTiles, withoutTiles } from "../tiles/codes";

/** A table as the viewer sees it, and where the stream stands. */
export interface TableState {
  readonly epoch: bigint;
  /** Sequence of the newest event that is in `table`. */
  readonly sequence: bigint;
  readonly table: TableSnapshot;
}

/** Why a message cannot be taken: events are missing before it, or the server says so. Watch from a snapshot. */
export class ResyncNeeded extends Error {
  override readonly name = "ResyncNeeded";
}

/**
 * Takes one message of the stream. Neither the state nor the message is changed; an event that is in the state already
 * leaves it as it is.
 *
 * @throws ResyncNeeded if the message does not follow on the state.
 */
export function reduce(state: TableState | undefined, message: WatchTableResponse): TableState {
  const { epoch, sequence, payload } = message;
  if (payload.case === "snapshot") return { epoch, sequence, table: payload.value };
  if (payload.case === "resync") throw new ResyncNeeded("the server asks for it");
  if (!state || epoch !== state.epoch) throw new ResyncNeeded("no snapshot of this epoch");
  switch (payload.case) {
    case "event":
      if (sequence <= state.sequence) return state;
      if (sequence !== state.sequence + 1n) throw new ResyncNeeded(`gap after ${state.sequence}`);
      return { ...state, sequence, table: applyEvent(state.table, payload.value) };
    case "status":
      return { ...state, table: applyStatus(state.table, payload.value) };
    case "heartbeat":
      if (sequence > state.sequence) throw new ResyncNeeded(`gap after ${state.sequence}`);
      return state;
    case undefined: // a payload of a later release
      return state;
  }
}

function applyStatus(table: TableSnapshot, status: TableStatus): TableSnapshot {
  const { clocks, connected, phase, phaseDeadlineTime, confirmedSeats } = status;
  return { ...table, clocks, connected, phase, phaseDeadlineTime, confirmedSeats };
}

/** The table after an event. */
export function applyEvent(table: TableSnapshot, { event }: TableEvent): TableSnapshot {
  switch (event.case) {
    case "matchStarted": {
      const { commitment, nonceDeadlineTime: phaseDeadlineTime } = event.value;
      return { ...table, commitment, phase: TablePhase.NONCES, phaseDeadlineTime };
    }
    case "handDealt":
      return {
        ...table,
        phase: TablePhase.HAND,
        phaseDeadlineTime: undefined,
        confirmedSeats: [],
        decision: undefined,
        handEnded: undefined,
        hand: dealtHand(event.value),
      };
    case "handEnded":
      return { ...table, ...endedHand(table, event.value) };
    case "decisionOpened":
      return { ...table, decision: event.value.decision };
    case "decisionClosed":
      return table.decision?.decisionId === event.value.decisionId ? { ...table, decision: undefined } : table;
    case "matchEnded":
      return { ...table, phase: TablePhase.OVER, phaseDeadlineTime: undefined, matchEnded: event.value };
    case undefined:
      return table;
    default:
      if (!table.hand) throw new ResyncNeeded(`${event.case} without a hand`);
      return { ...table, hand: playedHand(table.hand, event, table.seat) };
  }
}

function playedHand(hand: HandSnapshot, event: TableEvent["event"], viewer: number): HandSnapshot {
  switch (event.case) {
    case "bonusShown":
      return bonusShown(hand, event.value.seat, event.value.tile, viewer);
    case "drew":
      return drew(hand, event.value, viewer);
    case "originalCallsMade":
      return event.value.seats.reduce((next, seat) => withSeat(next, seat, () => ({ originalCall: true })), hand);
    case "turnStarted":
      return turnStarted(hand, event.value);
    case "discarded":
      return discarded(hand, event.value, viewer);
    case "claimed":
      return claimed(hand, event.value, viewer);
    case "kongDeclared":
      return kongDeclared(hand, event.value, viewer);
    case "kongRobbed":
      return kongRobbed(hand, event.value, viewer);
    default:
      return hand;
  }
}

function dealtHand(dealt: HandDealt): HandSnapshot {
  const { handNumber, dealer, roundWind, dealerChanges, dealerWins, liveTilesLeft, reserveTilesLeft } = dealt;
  const seats = dealt.scores.map((score, seat) =>
    create(SeatViewSchema, {
      seat,
      wind: "ESWN"[(seat - dealer + 4) % 4] ?? "",
      score,
      concealedCount: dealt.concealedCounts[seat] ?? 0,
    }),
  );
  return create(HandSnapshotSchema, {
    handNumber,
    dealer,
    roundWind,
    dealerChanges,
    dealerWins,
    seats,
    concealed: sortTiles(dealt.concealed),
    liveTilesLeft,
    reserveTilesLeft,
  });
}

function endedHand(table: TableSnapshot, ended: HandEnded): Partial<TableSnapshot> {
  const seats = table.hand?.seats.map((seat) => ({ ...seat, score: ended.scoresAfter[seat.seat] ?? seat.score }));
  const over = { turnSeat: undefined, drawn: "", openTile: "", openTileSeat: undefined };
  const hand = table.hand && seats && { ...table.hand, seats, ...over };
  return { phase: TablePhase.RESULT, handEnded: ended, decision: undefined, hand };
}

function bonusShown(hand: HandSnapshot, seat: number, tile: string, viewer: number): HandSnapshot {
  const next = withSeat(hand, seat, (view) => ({
    bonus: [...view.bonus, tile],
    concealedCount: view.concealedCount - 1,
  }));
  if (seat !== viewer) return next;
  return { ...next, concealed: withoutTiles(hand.concealed, [tile]), drawn: hand.drawn === tile ? "" : hand.drawn };
}

function drew(hand: HandSnapshot, event: Drew, viewer: number): HandSnapshot {
  const { seat, tile, liveTilesLeft, reserveTilesLeft } = event;
  const next = {
    ...withSeat(hand, seat, (view) => ({ concealedCount: view.concealedCount + 1 })),
    liveTilesLeft,
    reserveTilesLeft,
    openTile: "",
    openTileSeat: undefined,
  };
  if (seat !== viewer) return next;
  const drawn = hand.turnSeat === seat ? tile : ""; // in the opening nothing counts as drawn yet
  return { ...next, concealed: sortTiles([...hand.concealed, tile]), drawn };
}

function turnStarted(hand: HandSnapshot, { seat, drawn }: TurnStarted): HandSnapshot {
  return { ...hand, turnSeat: seat, openTile: "", openTileSeat: undefined, drawn };
}

function discarded(hand: HandSnapshot, { seat, tile, originalCall }: Discarded, viewer: number): HandSnapshot {
  const next = {
    ...withSeat(hand, seat, (view) => ({
      pond: [...view.pond, tile],
      concealedCount: view.concealedCount - 1,
      originalCall: view.originalCall || originalCall,
    })),
    openTile: tile,
    openTileSeat: seat,
  };
  return seat === viewer ? { ...next, concealed: withoutTiles(hand.concealed, [tile]), drawn: "" } : next;
}

function claimed(hand: HandSnapshot, { seat, meld }: Claimed, viewer: number): HandSnapshot {
  if (!meld) return hand;
  const fromHand = withoutTiles(meld.tiles, [meld.claimedTile]);
  const left = withSeat(hand, meld.fromSeat ?? -1, ({ pond }) => ({ pond: pond.slice(0, -1) }));
  const next = {
    ...withSeat(left, seat, (view) => ({
      melds: [...view.melds, meld],
      concealedCount: view.concealedCount - fromHand.length,
    })),
    openTile: "",
    openTileSeat: undefined,
  };
  return seat === viewer ? { ...next, concealed: withoutTiles(hand.concealed, fromHand), drawn: "" } : next;
}

function kongDeclared(hand: HandSnapshot, { seat, kind, tile }: KongDeclared, viewer: number): HandSnapshot {
  const isPromoted = kind === MeldKind.PROMOTED_KONG;
  const fromHand = isPromoted ? [tile] : [tile, tile, tile, tile];
  const kong = create(MeldSchema, { kind, tiles: [tile, tile, tile, tile] });
  const next = {
    ...withSeat(hand, seat, (view) => ({
      melds: isPromoted
        ? view.melds.map((meld) => (isPungOf(meld, tile) ? { ...meld, kind, tiles: kong.tiles } : meld))
        : [...view.melds, kong],
      concealedCount: view.concealedCount - fromHand.length,
    })),
    openTile: tile,
    openTileSeat: seat,
  };
  return seat === viewer ? { ...next, concealed: withoutTiles(hand.concealed, fromHand), drawn: "" } : next;
}

function kongRobbed(hand: HandSnapshot, { seat, tile }: KongRobbed, viewer: number): HandSnapshot {
  const rest = [tile, tile, tile];
  const kong = hand.seats[seat]?.melds.find((meld) => meld.tiles.length === 4 && meld.tiles[0] === tile);
  if (kong?.kind === MeldKind.PROMOTED_KONG) {
    return withSeat(hand, seat, ({ melds }) => ({
      melds: melds.map((meld) => (meld === kong ? { ...meld, kind: MeldKind.PUNG, tiles: rest } : meld)),
    }));
  }
  const next = withSeat(hand, seat, (view) => ({
    melds: view.melds.filter((meld) => meld !== kong),
    concealedCount: view.concealedCount + rest.length,
  }));
  return seat === viewer ? { ...next, concealed: sortTiles([...hand.concealed, ...rest]) } : next;
}

function isPungOf(meld: { kind: MeldKind; tiles: string[] }, tile: string): boolean {
  return meld.kind === MeldKind.PUNG && meld.tiles[0] === tile;
}

function withSeat(hand: HandSnapshot, seat: number, change: (view: SeatView) => Partial<SeatView>): HandSnapshot {
  return { ...hand, seats: hand.seats.map((view) => (view.seat === seat ? { ...view, ...change(view) } : view)) };
}
