// A step of a replay in words.
import { announcementOf, nameOf } from "../game/narration";
import { Wall, type TableEvent, type TableSnapshot } from "../gen/mahjongplanet/table/v1/event_pb";
import { text } from "../strings";

/** What happened, for eyes and ears. */
export function captionOf(message: TableEvent, table: TableSnapshot): string {
  const { event } = message;
  const say = text.replay.say;
  switch (event.case) {
    case "drew": {
      const { seat, tile, wall } = event.value;
      return (wall === Wall.RESERVE ? say.replaced : say.drew)(nameOf(table, seat), tile);
    }
    case "claimed": {
      const { seat, meld } = event.value;
      return say.claimed(nameOf(table, seat), meld?.claimedTile ?? "", text.meldKinds[meld?.kind ?? 0]);
    }
    case "kongRobbed":
      return say.robbed(nameOf(table, event.value.seat), event.value.tile);
    case "handEnded": {
      const winners = event.value.winners.map(({ seat }) => nameOf(table, seat));
      return winners.length > 0
        ? `${text.result.wonBy(text.list(winners))}.`
        : `${text.result.title[event.value.ending]}.`;
    }
    default:
      return announcementOf(message, table) ?? "";
  }
}
