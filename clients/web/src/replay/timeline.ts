// A finished hand, step by step: the stream's reducer fed with the replay service's events.
import { create } from "@bufbuild/protobuf";
import { applyEvent } from "../game/reducer";
import type { HandEvent, ListHandEventsResponse, MatchSummary } from "../gen/mahjongplanet/replay/v1/replay_service_pb";
import {
  TablePhase,
  TableSnapshotSchema,
  type TableEvent,
  type TableSnapshot,
} from "../gen/mahjongplanet/table/v1/event_pb";

/** One step of a replay: something to see, and the table after it. */
export interface Frame {
  /** Number of the last event that is in the tables, as the replay service counts. */
  position: number;
  /** What happened. */
  event: TableEvent;
  /** The table as each seat sees it, by seat; undefined for seats that the viewer may not look from. */
  tables: readonly (TableSnapshot | undefined)[];
}

/** Seats that a hand may be seen from: all where everybody's tiles are known, else the viewer's own. */
export function seatsOf({ seat }: Pick<ListHandEventsResponse, "seat">): number[] {
  return seat === undefined ? [0, 1, 2, 3] : [seat];
}

/**
 * Adds the events of a hand up. Events that show nothing themselves (a turn begins, nobody makes an Original Call) are
 * part of the step before them; after a discard, which they would cover up, of the step that follows.
 */
export function framesOf(
  match: MatchSummary,
  { events, seat }: Pick<ListHandEventsResponse, "events" | "seat">,
): Frame[] {
  const frames: Frame[] = [];
  const viewers = seatsOf(seat === undefined ? {} : { seat });
  let tables: readonly (TableSnapshot | undefined)[] = [0, 1, 2, 3].map((viewer) =>
    viewers.includes(viewer) ? emptyTable(match, viewer) : undefined,
  );
  for (const handEvent of events) {
    const { event, position } = handEvent;
    if (!event) continue;
    tables = tables.map((table, viewer) => table && applyEvent(table, asSeenBy(viewer, event, handEvent)));
    const last = frames.at(-1);
    if (!isSilent(event)) frames.push({ position, event, tables });
    else if (last && !leavesTileOpen(last.event)) frames[frames.length - 1] = { ...last, position, tables };
  }
  return frames;
}

/** The concealed tiles of a seat; undefined if they may not be seen. */
export function concealedOf({ tables }: Frame, seat: number): readonly string[] | undefined {
  return tables[seat]?.hand?.concealed;
}

function emptyTable({ matchId, ruleSet, length, tableKind, occupants }: MatchSummary, seat: number): TableSnapshot {
  const phase = TablePhase.HAND;
  return create(TableSnapshotSchema, { matchId, ruleSet, length, tableKind, occupants, seat, phase });
}

/** With everybody's tiles, an event tells what each seat was told: this is one seat's part of it. */
function asSeenBy(viewer: number, told: TableEvent, { dealtHands }: HandEvent): TableEvent {
  const { event } = told;
  if (event.case === "handDealt" && dealtHands.length > 0) {
    const concealed = dealtHands.find((hand) => hand.seat === viewer)?.concealed ?? [];
    return { ...told, event: { case: event.case, value: { ...event.value, concealed } } };
  }
  if (event.case === "turnStarted" && event.value.seat !== viewer) {
    return { ...told, event: { case: event.case, value: { ...event.value, drawn: "" } } };
  }
  return told;
}

function leavesTileOpen({ event }: TableEvent): boolean {
  return event.case === "discarded";
}

function isSilent({ event }: TableEvent): boolean {
  return event.case === "turnStarted" || (event.case === "originalCallsMade" && event.value.seats.length === 0);
}
