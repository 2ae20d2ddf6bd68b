import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock, RuleSet } from "../src/gen/mahjongplanet/game/v1/terms_pb";
import { MatchmakerService } from "../src/gen/mahjongplanet/matchmaker/v1/matchmaker_service_pb";
import { Pools, secondsOf } from "../src/lobby/pools.svelte";
import { platformError } from "./fakes";

/** The page's visibility, all that the pools ask the document for. */
class Sight extends EventTarget {
  hidden = false;
}

const classical = { ruleSet: RuleSet.CLASSICAL, rated: false };
const offered = [Clock.STANDARD, Clock.BLITZ].map((clock) => ({
  ...classical,
  clock,
  fillDuration: { seconds: 14n, nanos: 500_000_000 },
}));

let sight: Sight;
let calls: number;
let answer: () => object;

/** Pools of a server that answers what `answer` says. */
function poolsOfServer(): Pools {
  const transport = createRouterTransport(({ service }) => {
    service(MatchmakerService, {
      listPools: () => {
        calls += 1;
        return answer();
      },
    });
  });
  return new Pools(createClient(MatchmakerService, transport));
}

beforeEach(() => {
  vi.useFakeTimers();
  sight = new Sight();
  vi.stubGlobal("document", sight);
  calls = 0;
  answer = () => ({ pools: offered });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the pools are read at once, then every ten seconds, until the page goes elsewhere", async () => {
  const stop = poolsOfServer().start();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(calls).toBe(3);
  stop();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(calls).toBe(3);
});

test("a page out of sight asks nothing, and at once when it is back", async () => {
  sight.hidden = true;
  const stop = poolsOfServer().start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toBe(0);
  sight.hidden = false;
  sight.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(1);
  expect(calls).toBe(1);
  stop();
});

test("the clocks on offer are those with a pool, in the server's order; Standard before that is known", async () => {
  const known = [Clock.BULLET, Clock.BLITZ, Clock.STANDARD, Clock.UNTIMED];
  const pools = poolsOfServer();
  expect(pools.clocksOf(RuleSet.CLASSICAL, known)).toEqual([Clock.STANDARD]);
  await pools.refresh(new AbortController().signal);
  expect(pools.clocksOf(RuleSet.CLASSICAL, known)).toEqual([Clock.BLITZ, Clock.STANDARD]);
  expect(secondsOf(pools.find({ ...classical, clock: Clock.BLITZ })?.fillDuration)).toBe(15);
  expect(pools.find({ ...classical, clock: Clock.BLITZ, rated: true })).toBeUndefined();
});

test("what was read stands while the server cannot be reached", async () => {
  const pools = poolsOfServer();
  await pools.refresh(new AbortController().signal);
  answer = () => {
    throw platformError(Code.Unavailable, "STORE_UNREACHABLE");
  };
  await pools.refresh(new AbortController().signal);
  expect(pools.list).toHaveLength(2);
});

test("a cool-down is known from the list and from a refusal", async () => {
  answer = () => ({ pools: offered, coolDownEndTime: timestampFromMs(5_000) });
  const pools = poolsOfServer();
  await pools.refresh(new AbortController().signal);
  expect(pools.coolDownEndMs).toBe(5_000);
  const refusal = platformError(Code.ResourceExhausted, "COOLING_DOWN", { end_time: "2026-01-01T00:00:01.500Z" });
  expect(pools.isCoolDown(refusal)).toBe(true);
  expect(pools.coolDownEndMs).toBe(Date.UTC(2026, 0, 1, 0, 0, 1, 500));
  expect(pools.isCoolDown(platformError(Code.AlreadyExists, "ALREADY_SEATED"))).toBe(false);
});
