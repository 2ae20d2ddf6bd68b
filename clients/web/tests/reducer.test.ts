import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { MeldKind } from "../src/gen/mahjongplanet/game/v1/terms_pb";
import {
  TablePhase,
  type HandDealtSchema,
  type HandSnapshot,
  type TableEventSchema,
} from "../src/gen/mahjongplanet/table/v1/event_pb";
import { HeartbeatSchema, ResyncSchema, TableStatusSchema } from "../src/gen/mahjongplanet/table/v1/table_service_pb";
import { reduce, ResyncNeeded, type TableState } from "../src/game/reducer";
import { eventMessage, message, snapshotMessage } from "./fakes";

type Event = MessageInitShape<typeof TableEventSchema>["event"];

const dealt: MessageInitShape<typeof HandDealtSchema> = {
  handNumber: 3,
  dealer: 1,
  roundWind: "E",
  dealerChanges: 1,
  scores: [1990, 2010, 2000, 2000],
  concealedCounts: [13, 14, 13, 13],
  concealed: ["1b", "1b", "2b", "3b", "5c", "5c", "5c", "7d", "E", "R", "R", "R", "f2"],
  liveTilesLeft: 75,
  reserveTilesLeft: 16,
};

/** The state after events, one after the other, at the table of seat 0. */
function after(...events: Event[]): TableState {
  const messages = events.map((event, index) => eventMessage(index + 1, event));
  return messages.reduce(reduce, reduce(undefined, snapshotMessage(0, { seat: 0, phase: TablePhase.NONCES })));
}

function handAfter(...events: Event[]): HandSnapshot {
  const { hand } = after({ case: "handDealt", value: dealt }, ...events).table;
  if (!hand) throw new Error("no hand");
  return hand;
}

describe("the order of messages", () => {
  const first = reduce(undefined, snapshotMessage(7));

  test("a snapshot is taken whatever came before", () => {
    const later = reduce(first, snapshotMessage(40, { tableId: "t", seat: 2 }));
    expect([later.sequence, later.table.seat]).toEqual([40n, 2]);
  });

  test("an event that is in the state already changes nothing", () => {
    expect(reduce(first, eventMessage(7, { case: "turnStarted", value: { seat: 1 } }))).toBe(first);
  });

  test("an event after a gap needs a resync", () => {
    expect(() => reduce(first, eventMessage(9, { case: "matchEnded", value: {} }))).toThrow(ResyncNeeded);
  });

  test("an event of another epoch needs a resync", () => {
    const event = { ...eventMessage(8, { case: "matchEnded", value: {} }), epoch: 2n };
    expect(() => reduce(first, event)).toThrow(ResyncNeeded);
  });

  test("a heartbeat ahead of the state tells that events are missing", () => {
    const heartbeat = (sequence: number) => message(sequence, { case: "heartbeat", value: create(HeartbeatSchema) });
    expect(reduce(first, heartbeat(7))).toBe(first);
    expect(() => reduce(first, heartbeat(8))).toThrow(ResyncNeeded);
  });

  test("the server's resync is obeyed", () => {
    expect(() => reduce(first, message(7, { case: "resync", value: create(ResyncSchema) }))).toThrow(ResyncNeeded);
  });

  test("a status is not numbered and replaces clocks and presence", () => {
    const status = create(TableStatusSchema, {
      connected: [true, false, true, true],
      phase: TablePhase.RESULT,
      confirmedSeats: [2],
    });
    const { sequence, table } = reduce(first, message(0, { case: "status", value: status }));
    expect([sequence, table.connected[1], table.confirmedSeats]).toEqual([7n, false, [2]]);
  });

  test("neither the state nor the message is changed", () => {
    const state = after({ case: "handDealt", value: dealt });
    const before = structuredClone(state);
    reduce(state, eventMessage(2, { case: "discarded", value: { seat: 0, tile: "E" } }));
    expect(state).toEqual(before);
  });
});

describe("a hand", () => {
  test("a deal sets winds, scores and counts, and ends the result before it", () => {
    const { table } = after({ case: "handDealt", value: dealt });
    expect(table.hand?.seats.map(({ wind }) => wind).join("")).toBe("NESW");
    expect(table.hand?.seats.map(({ score }) => score)).toEqual(dealt.scores);
    expect(table.hand?.seats.map(({ concealedCount }) => concealedCount)).toEqual([13, 14, 13, 13]);
    expect([table.phase, table.handEnded]).toEqual([TablePhase.HAND, undefined]);
  });

  test("a flower in the opening is shown and replaced, and nothing counts as drawn", () => {
    const hand = handAfter(
      { case: "bonusShown", value: { seat: 0, tile: "f2" } },
      { case: "drew", value: { seat: 0, tile: "4b", liveTilesLeft: 74, reserveTilesLeft: 16 } },
    );
    expect(hand.concealed.slice(0, 5)).toEqual(["1b", "1b", "2b", "3b", "4b"]);
    expect([hand.seats[0]?.bonus, hand.seats[0]?.concealedCount, hand.drawn]).toEqual([["f2"], 13, ""]);
    expect(hand.liveTilesLeft).toBe(74);
  });

  test("the first turn tells East its drawn tile", () => {
    expect(handAfter({ case: "turnStarted", value: { seat: 0, drawn: "E" } }).drawn).toBe("E");
  });

  test("the viewer's draw and discard move a tile through the hand into the pond", () => {
    const hand = handAfter(
      { case: "turnStarted", value: { seat: 0 } },
      { case: "drew", value: { seat: 0, tile: "9d", liveTilesLeft: 74, reserveTilesLeft: 16 } },
    );
    expect([hand.drawn, hand.seats[0]?.concealedCount]).toEqual(["9d", 14]);
    const next = handAfter(
      { case: "turnStarted", value: { seat: 0 } },
      { case: "drew", value: { seat: 0, tile: "9d", liveTilesLeft: 74, reserveTilesLeft: 16 } },
      { case: "discarded", value: { seat: 0, tile: "1b", originalCall: true } },
    );
    expect(next.concealed.filter((tile) => tile === "1b" || tile === "9d")).toEqual(["1b", "9d"]);
    expect([next.drawn, next.openTile, next.openTileSeat]).toEqual(["", "1b", 0]);
    expect([next.seats[0]?.pond, next.seats[0]?.originalCall]).toEqual([["1b"], true]);
  });

  test("an opponent's tiles are counted and not seen", () => {
    const hand = handAfter(
      { case: "turnStarted", value: { seat: 1 } },
      { case: "drew", value: { seat: 1, tile: "", liveTilesLeft: 74, reserveTilesLeft: 16 } },
    );
    expect([hand.turnSeat, hand.seats[1]?.concealedCount, hand.drawn]).toEqual([1, 15, ""]);
    expect(hand.concealed).toEqual(dealt.concealed);
  });

  test("a claimed discard leaves its pond for the meld", () => {
    const meld = { kind: MeldKind.CHOW, tiles: ["1b", "2b", "3b"], claimedTile: "3b", fromSeat: 3 };
    const hand = handAfter(
      { case: "discarded", value: { seat: 3, tile: "9c" } },
      { case: "turnStarted", value: { seat: 3 } },
      { case: "discarded", value: { seat: 3, tile: "3b" } },
      { case: "claimed", value: { seat: 0, meld } },
    );
    expect([hand.seats[3]?.pond, hand.seats[0]?.concealedCount, hand.openTile]).toEqual([["9c"], 11, ""]);
    expect(hand.concealed.slice(0, 3)).toEqual(["1b", "3b", "5c"]);
    expect(hand.seats[0]?.melds[0]?.tiles).toEqual(meld.tiles);
  });

  test("a concealed kong that is robbed falls back into the hand", () => {
    const declared: Event = { case: "kongDeclared", value: { seat: 0, kind: MeldKind.CONCEALED_KONG, tile: "R" } };
    const drew: Event = { case: "drew", value: { seat: 0, tile: "R", liveTilesLeft: 74, reserveTilesLeft: 16 } };
    const kong = handAfter(drew, declared);
    expect([kong.seats[0]?.melds.length, kong.seats[0]?.concealedCount]).toEqual([1, 10]);
    const robbed = handAfter(drew, declared, { case: "kongRobbed", value: { seat: 0, tile: "R" } });
    expect(robbed.seats[0]?.melds).toEqual([]);
    expect(robbed.concealed.filter((tile) => tile === "R")).toHaveLength(3);
    expect(robbed.seats[0]?.concealedCount).toBe(13);
  });

  test("a promoted kong that is robbed falls back to its pung", () => {
    const pung = { kind: MeldKind.PUNG, tiles: ["5c", "5c", "5c"], claimedTile: "5c", fromSeat: 2 };
    const events: Event[] = [
      { case: "discarded", value: { seat: 2, tile: "5c" } },
      { case: "claimed", value: { seat: 0, meld: pung } },
      { case: "kongDeclared", value: { seat: 0, kind: MeldKind.PROMOTED_KONG, tile: "5c" } },
    ];
    const promoted = handAfter(...events);
    expect(promoted.seats[0]?.melds[0]).toMatchObject({ kind: MeldKind.PROMOTED_KONG, claimedTile: "5c", fromSeat: 2 });
    expect(promoted.concealed).not.toContain("5c");
    const robbed = handAfter(...events, { case: "kongRobbed", value: { seat: 0, tile: "5c" } });
    expect(robbed.seats[0]?.melds[0]).toMatchObject(pung);
  });

  test("the end of a hand sets the scores and closes what was open", () => {
    const { table } = after(
      { case: "handDealt", value: dealt },
      { case: "decisionOpened", value: { decision: { decisionId: "d1" } } },
      { case: "handEnded", value: { changes: [1, -1, 0, 0], scoresAfter: [1991, 2009, 2000, 2000] } },
    );
    expect(table.phase).toBe(TablePhase.RESULT);
    expect(table.decision).toBeUndefined();
    expect(table.hand?.seats.map(({ score }) => score)).toEqual([1991, 2009, 2000, 2000]);
  });

  test("a decision stays open until it is the one that closes", () => {
    const opened: Event = { case: "decisionOpened", value: { decision: { decisionId: "d2" } } };
    const other: Event = { case: "decisionClosed", value: { decisionId: "d1" } };
    expect(after({ case: "handDealt", value: dealt }, opened, other).table.decision?.decisionId).toBe("d2");
    const closed: Event = { case: "decisionClosed", value: { decisionId: "d2" } };
    expect(after({ case: "handDealt", value: dealt }, opened, closed).table.decision).toBeUndefined();
  });

  test("an event of play before any hand needs a resync", () => {
    expect(() => after({ case: "turnStarted", value: { seat: 0 } })).toThrow(ResyncNeeded);
  });
});
