// Replays: the steps of a hand, and going through them.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Ending, MeldKind } from "../src/gen/mahjongplanet/game/v1/terms_pb";
import { ListHandEventsResponseSchema, MatchSummarySchema } from "../src/gen/mahjongplanet/replay/v1/replay_service_pb";
import { Wall, type TableEventSchema } from "../src/gen/mahjongplanet/table/v1/event_pb";
import { captionOf } from "../src/replay/caption";
import { Stepper } from "../src/replay/stepper.svelte";
import { concealedOf, framesOf } from "../src/replay/timeline";

const match = create(MatchSummarySchema, {
  matchId: "m",
  occupants: ["Ada", "Grace", "Emmy", "Lise"].map((displayName) => ({ displayName })),
});
type Event = NonNullable<MessageInitShape<typeof TableEventSchema>["event"]>;

/** A short hand of four tiles a seat, as the service tells it with everybody's tiles. */
const events: Event[] = [
  { case: "handDealt", value: { scores: [0, 0, 0, 0], concealedCounts: [2, 1, 1, 1], liveTilesLeft: 9 } },
  { case: "originalCallsMade", value: { seats: [] } },
  { case: "turnStarted", value: { seat: 0, drawn: "9d" } },
  { case: "discarded", value: { seat: 0, tile: "9d" } },
  { case: "turnStarted", value: { seat: 1 } },
  { case: "drew", value: { seat: 1, tile: "3b", wall: Wall.LIVE, liveTilesLeft: 8 } },
  { case: "discarded", value: { seat: 1, tile: "2b" } },
  { case: "handEnded", value: { ending: Ending.DRAW, changes: [0, 0, 0, 0], scoresAfter: [0, 0, 0, 0] } },
];
const dealt = [["1b", "9d"], ["2b"], ["3c"], ["4c"]];

function answer(seat?: number) {
  return create(ListHandEventsResponseSchema, {
    events: events.map((event, position) => ({
      position,
      event: { event },
      dealtHands: position === 0 && seat === undefined ? dealt.map((concealed, of) => ({ seat: of, concealed })) : [],
    })),
    ...(seat === undefined ? {} : { seat }),
  });
}

describe("the steps of a hand", () => {
  const frames = framesOf(match, answer());

  test("are those in which something is to be seen; what shows nothing belongs to a step beside it", () => {
    const steps = frames.map(({ position, event }) => [position, event.event.case]);
    expect(steps).toEqual([
      [2, "handDealt"],
      [3, "discarded"],
      [5, "drew"],
      [6, "discarded"],
      [7, "handEnded"],
    ]);
  });

  test("know the tiles of every seat, and whose tile was drawn", () => {
    const hands = frames.map((frame) => [0, 1, 2].map((seat) => concealedOf(frame, seat)?.join(" ")));
    expect(hands).toEqual([
      ["1b 9d", "2b", "3c"],
      ["1b", "2b", "3c"],
      ["1b", "2b 3b", "3c"],
      ["1b", "3b", "3c"],
      ["1b", "3b", "3c"],
    ]);
    expect(frames[0]?.tables.map((table) => table?.hand?.drawn)).toEqual(["9d", "", "", ""]);
    expect(frames[2]?.tables.map((table) => table?.hand?.drawn)).toEqual(["", "3b", "", ""]);
    expect(frames.map(({ tables }) => tables[0]?.hand?.openTile)).toEqual(["", "9d", "", "2b", ""]);
    expect(frames.map(({ tables }) => tables[0]?.hand?.turnSeat)).toEqual([0, 0, 1, 1, undefined]);
  });

  test("show the same table from every seat", () => {
    for (const { tables } of frames) {
      const ponds = tables.map((table) => table?.hand?.seats.map(({ pond }) => pond.join(" ")));
      expect(new Set(ponds.map((pond) => JSON.stringify(pond))).size).toBe(1);
    }
  });

  test("are seen from one seat only while the match is played", () => {
    const own = framesOf(match, answer(1));
    expect(own[0]?.tables.map((table) => table?.seat)).toEqual([undefined, 1, undefined, undefined]);
    expect(own[0] && concealedOf(own[0], 0)).toBeUndefined();
  });

  test("are told in words", () => {
    const table = frames[0]?.tables[0];
    const captions = frames.map(({ event }) => (table ? captionOf(event, table) : ""));
    expect(captions).toEqual([
      "Hand 1 is dealt.",
      "Ada discards 9 circles.",
      "Grace draws 3 bamboo.",
      "Grace discards 2 bamboo.",
      "No winner.",
    ]);
    const meld = { kind: MeldKind.PUNG, tiles: ["R", "R", "R"], claimedTile: "R" };
    const [claim] = framesOf(
      match,
      create(ListHandEventsResponseSchema, {
        events: [...events.slice(0, 1), { case: "claimed" as const, value: { seat: 2, meld } }].map((event) => ({
          event: { event },
        })),
      }),
    ).slice(1);
    expect(claim && table && captionOf(claim.event, table)).toBe("Emmy claims red dragon: Pung.");
  });
});

describe("going through steps", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const stepperOf = (count: number): Stepper => {
    const stepper = new Stepper();
    stepper.reset(count);
    return stepper;
  };

  test("keys go one step, ten steps, and to the ends, and no further", () => {
    const stepper = stepperOf(25);
    const places = [
      "ArrowLeft",
      "ArrowRight",
      "PageDown",
      "PageDown",
      "PageDown",
      "PageUp",
      "Home",
      "End",
      "ArrowRight",
    ];
    expect(places.map((key) => (stepper.press(key), stepper.at))).toEqual([0, 1, 11, 21, 24, 14, 0, 24, 24]);
    expect(stepper.press("x")).toBe(false);
  });

  test("it plays to the end and stops there, and begins anew from there", () => {
    const stepper = stepperOf(3);
    stepper.press(" ");
    vi.advanceTimersByTime(1_000);
    expect([stepper.at, stepper.isPlaying]).toEqual([1, true]);
    vi.advanceTimersByTime(10_000);
    expect([stepper.at, stepper.isPlaying]).toEqual([2, false]);
    stepper.play();
    expect([stepper.at, stepper.isPlaying]).toEqual([0, true]);
    stepper.press(" ");
    expect(stepper.isPlaying).toBe(false);
  });

  test("seeking stops the playing", () => {
    const stepper = stepperOf(9);
    stepper.play();
    stepper.seek(5);
    vi.advanceTimersByTime(10_000);
    expect([stepper.at, stepper.isPlaying]).toEqual([5, false]);
  });
});
