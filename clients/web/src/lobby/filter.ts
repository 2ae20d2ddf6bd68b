// Which matches a list shows.
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RuleSet, TableKind } from "../gen/mahjongplanet/game/v1/terms_pb";
import { MatchFilterSchema, type MatchFilter } from "../gen/mahjongplanet/replay/v1/replay_service_pb";

/** What the fields of a filter hold. */
export interface FilterFields {
  /** Unspecified for every one. */
  ruleSet: RuleSet;
  /** Unspecified for every one. */
  tableKind: TableKind;
  /** First and last day, as `YYYY-MM-DD` in the reader's own time; empty for no bound. */
  from: string;
  to: string;
}

/** The filter that the service is asked with. */
export function filterOf({ ruleSet, tableKind, from, to }: FilterFields): MatchFilter {
  const [fromTime, untilTime] = [startOf(from, 0), startOf(to, 1)];
  return create(MatchFilterSchema, {
    ruleSet,
    tableKind,
    ...(fromTime && { fromTime: timestampFromDate(fromTime) }),
    ...(untilTime && { untilTime: timestampFromDate(untilTime) }),
  });
}

/** Where a day begins here, or one that comes so many days later; undefined if none is given. */
function startOf(day: string, later: number): Date | undefined {
  const [year, month, date] = day.split("-").map(Number);
  return year && month && date ? new Date(year, month - 1, date + later) : undefined;
}
