// Ratings, names and lists: what is derived from the services' answers, and what they are asked for.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { AccountService } from "../src/gen/mahjongplanet/account/v1/account_service_pb";
import { RuleSet, TableKind } from "../src/gen/mahjongplanet/game/v1/terms_pb";
import { RatingHistoryEntrySchema } from "../src/gen/mahjongplanet/rating/v1/rating_service_pb";
import { filterOf } from "../src/lobby/filter";
import { namesOf } from "../src/people/names";
import { courseOf, gainOf, pointsOf } from "../src/ratings/standing";
import { text } from "../src/strings";

describe("ratings", () => {
  const entry = (before: number, after: number) => {
    const change = { before: { shown: before }, after: { shown: after } };
    return create(RatingHistoryEntrySchema, { change } satisfies MessageInitShape<typeof RatingHistoryEntrySchema>);
  };

  test("a history that comes newest first is drawn from old to new, its beginning included", () => {
    expect(courseOf([entry(1518, 1492), entry(1500, 1518)])).toEqual([1500, 1518, 1492]);
    expect(courseOf([])).toEqual([]);
  });

  test("a match gains what lies between before and after", () => {
    expect(gainOf(entry(1518, 1492).change)).toBe(-26);
    expect(gainOf(undefined)).toBe(0);
  });

  test("the graph spans its whole width and height, also where nothing changes", () => {
    expect(pointsOf([1500, 1600, 1550], 100, 50)).toBe("0.0,50.0 50.0,0.0 100.0,25.0");
    expect(pointsOf([1500, 1500], 100, 50)).toBe("0.0,50.0 100.0,50.0");
  });

  test("ranks are ordinal numbers", () => {
    const ranks = [1, 2, 3, 4, 11, 22].map((rank) => text.ratings.rankOf(rank, 30));
    expect(ranks).toEqual(["1st of 30", "2nd of 30", "3rd of 30", "4th of 30", "11th of 30", "22nd of 30"]);
  });
});

test("a filter of matches takes whole days of the reader, the last one included", () => {
  const days = { ruleSet: RuleSet.TAIWANESE, tableKind: TableKind.UNSPECIFIED, from: "2026-11-30", to: "2026-12-31" };
  const filter = filterOf(days);
  expect(filter.ruleSet).toBe(RuleSet.TAIWANESE);
  expect(filter.fromTime && timestampDate(filter.fromTime)).toEqual(new Date(2026, 10, 30));
  expect(filter.untilTime && timestampDate(filter.untilTime)).toEqual(new Date(2027, 0, 1));
  const open = filterOf({ ...days, from: "", to: "" });
  expect([open.fromTime, open.untilTime]).toEqual([undefined, undefined]);
});

test("names are asked for once each, a hundred at a time, and none for a deleted player", async () => {
  const asked: number[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(AccountService, {
      batchGetProfiles: ({ playerIds }) => {
        asked.push(playerIds.length);
        return { profiles: playerIds.map((playerId) => ({ playerId, displayName: `name of ${playerId}` })) };
      },
    });
  });
  const ids = Array.from({ length: 130 }, (_, index) => `p${index}`);
  const known = new Map([["p0", "Ada"]]);
  const names = await namesOf(createClient(AccountService, transport), [...ids, ...ids, ""], known);
  expect(asked).toEqual([100, 29]);
  expect([names.get("p0"), names.get("p129"), names.size]).toEqual(["Ada", "name of p129", 130]);
});
