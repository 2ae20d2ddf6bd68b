// Events in words: what a screen reader says, and what is shown beside a seat for a moment.
import { MeldKind } from "../gen/mahjongplanet/game/v1/terms_pb";
import type { TableEvent, TableSnapshot } from "../gen/mahjongplanet/table/v1/event_pb";
import { text } from "../strings";

/** A call to show beside a seat for a moment. */
export interface Callout {
  seat: number;
  label: string;
}

/** The call that an event makes, if any. */
export function calloutOf({ event }: TableEvent): Callout | undefined {
  switch (event.case) {
    case "claimed": {
      const kind = event.value.meld?.kind ?? MeldKind.UNSPECIFIED;
      return { seat: event.value.seat, label: text.meldKinds[kind] };
    }
    case "kongDeclared":
      return { seat: event.value.seat, label: text.meldKinds[event.value.kind] };
    case "discarded":
      return event.value.originalCall ? { seat: event.value.seat, label: text.table.originalCall } : undefined;
    case "originalCallsMade": {
      const [seat] = event.value.seats;
      return seat === undefined ? undefined : { seat, label: text.table.originalCall };
    }
    default:
      return undefined;
  }
}

/** What to say of an event; undefined if nothing. */
export function announcementOf(message: TableEvent, table: TableSnapshot): string | undefined {
  const { event } = message;
  const say = text.table.announce;
  const callout = calloutOf(message);
  if (callout && event.case !== "discarded") return say.call(nameOf(table, callout.seat), callout.label);
  switch (event.case) {
    case "handDealt":
      return say.dealt(event.value.handNumber);
    case "bonusShown":
      return say.bonus(nameOf(table, event.value.seat), event.value.tile);
    case "drew":
      return event.value.tile === "" ? undefined : say.drew(event.value.tile);
    case "discarded": {
      const said = say.discarded(nameOf(table, event.value.seat), event.value.tile);
      return callout ? `${said} ${callout.label}.` : said;
    }
    case "decisionOpened":
      return event.value.decision && text.table.phase[event.value.decision.phase];
    case "handEnded":
      return say.ended;
    default:
      return undefined;
  }
}

/** The name on a seat. */
export function nameOf(table: TableSnapshot, seat: number): string {
  return table.occupants[seat]?.displayName ?? "";
}
