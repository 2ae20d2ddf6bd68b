import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { pause } from "../src/api/retry";
import { keepWatching, type WatchParts } from "../src/api/watch";
import { platformError } from "./fakes";

/** What one connection does: sends words, then ends, fails or stays silent. */
type Script = { send: string[]; then?: Error | "silence" };

/** Watches a server that plays one script a connection; "last" ends the watch. */
async function watch(scripts: Script[], parts: Partial<WatchParts<string>> = {}, leaving = new AbortController()) {
  const seen: string[] = [];
  const waits: number[] = [];
  let connections = 0;
  let breaks = 0;
  async function* open(signal: AbortSignal): AsyncGenerator<string> {
    const script = scripts[connections++];
    if (!script) throw new Error("one connection too many");
    yield* script.send;
    if (script.then === "silence") {
      await pause(60_000, signal);
      throw platformError(Code.Canceled, "UNSPECIFIED");
    }
    if (script.then) throw script.then;
  }
  const watching = keepWatching(
    {
      open,
      onMessage: (word) => {
        seen.push(word);
        return word === "last";
      },
      renewToken: () => Promise.resolve(),
      onBreak: () => breaks++,
      wait: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      ...parts,
    },
    leaving.signal,
  );
  await watching;
  return { seen, waits, connections, breaks };
}

test("a stream that ends, breaks or is drained is opened again until the last message", async () => {
  const { seen, breaks } = await watch([
    { send: ["a"] },
    { send: ["b"], then: new TypeError("Failed to fetch") },
    { send: [], then: platformError(Code.Unavailable, "DRAINING") },
    { send: ["last", "never"] },
  ]);
  expect(seen).toEqual(["a", "b", "last"]);
  expect(breaks).toBe(3);
});

test("a silent connection is dropped and opened again", async () => {
  const { seen } = await watch([{ send: ["a"], then: "silence" }, { send: ["last"] }], { silenceMs: 20 });
  expect(seen).toEqual(["a", "last"]);
});

test("a refusal that no retry can help is thrown", async () => {
  const gone = platformError(Code.NotFound, "ROOM_NOT_FOUND");
  await expect(watch([{ send: ["a"], then: gone }])).rejects.toBe(gone);
});

test("a refused token is renewed, and what fails meanwhile is tried again", async () => {
  let renewed = 0;
  const expired = platformError(Code.Unauthenticated, "SESSION_EXPIRED");
  const renewToken = () => {
    renewed++;
    return Promise.reject(new TypeError("Failed to fetch"));
  };
  const { seen } = await watch([{ send: [], then: expired }, { send: ["last"] }], { renewToken });
  expect([renewed, seen]).toEqual([1, ["last"]]);
});

test("waits grow while nothing comes and start anew behind a message", async () => {
  const broken = { send: [], then: new TypeError("Failed to fetch") };
  const { waits } = await watch([broken, broken, broken, { send: ["a"] }, { send: ["last"] }]);
  expect(waits).toHaveLength(4);
  expect(waits[2]).toBeGreaterThanOrEqual(500);
  expect(waits[3]).toBeLessThanOrEqual(250);
});

test("an aborted watch ends without a word", async () => {
  const leaving = new AbortController();
  const onMessage = () => {
    leaving.abort();
    return false;
  };
  const { connections, breaks } = await watch([{ send: ["a"], then: "silence" }], { onMessage }, leaving);
  expect([connections, breaks]).toEqual([1, 0]);
});
