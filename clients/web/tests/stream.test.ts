import { create } from "@bufbuild/protobuf";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { TablePhase } from "../src/gen/mahjongplanet/table/v1/event_pb";
import {
  TableService,
  type WatchTableRequest,
  type WatchTableResponse,
  WatchTableResponseSchema,
} from "../src/gen/mahjongplanet/table/v1/table_service_pb";
import { watchTable, type Connection, type StreamParts } from "../src/game/stream";
import { eventMessage, platformError, snapshotMessage } from "./fakes";

/** What the server does on one connection: sends messages, then ends, fails or stays silent. */
type Script = { send: WatchTableResponse[]; then?: Error | "silence" };

const over = eventMessage(2, { case: "matchEnded", value: {} });

/** Watches a table whose server plays one script a connection; the last one is repeated. */
async function watch(scripts: Script[], parts: Partial<StreamParts> = {}, controller = new AbortController()) {
  const requests: WatchTableRequest[] = [];
  const echoes: string[] = [];
  const connections: Connection[] = [];
  const sequences: bigint[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(TableService, {
      echoHeartbeat({ tableId, echoId }) {
        echoes.push(`${tableId} ${echoId}`);
        return {};
      },
      async *watchTable(request, context) {
        requests.push(request);
        const script = scripts[Math.min(requests.length, scripts.length) - 1];
        yield* script?.send ?? [];
        if (script?.then === "silence") {
          await new Promise((resolve) => {
            context.signal.addEventListener("abort", resolve);
          });
        } else if (script?.then) throw script.then;
      },
    });
  });
  const waits: number[] = [];
  await watchTable(
    "t",
    {
      tables: createClient(TableService, transport),
      renewToken: () => Promise.resolve(),
      onMessage: (state) => sequences.push(state.sequence),
      onConnection: (connection) => connections.push(connection),
      wait: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      ...parts,
    },
    controller.signal,
  );
  return { requests, connections, sequences, waits, echoes };
}

test("a broken stream resumes behind the last event", async () => {
  const { requests, sequences, connections } = await watch([
    { send: [snapshotMessage(1)], then: platformError(Code.Unavailable, "DRAINING") },
    { send: [over] },
  ]);
  expect(requests.map(({ epoch, afterSequence }) => [epoch, afterSequence])).toEqual([
    [0n, 0n],
    [1n, 1n],
  ]);
  expect(sequences).toEqual([1n, 2n]);
  expect(connections).toEqual(["connecting", "live", "reconnecting", "live", "over"]);
});

test("a heartbeat is echoed if it asks for that", async () => {
  const heartbeat = (echoId: string) =>
    create(WatchTableResponseSchema, { epoch: 1n, sequence: 1n, payload: { case: "heartbeat", value: { echoId } } });
  const { echoes } = await watch([{ send: [snapshotMessage(1), heartbeat("0123456789abcdef"), heartbeat(""), over] }]);
  await expect.poll(() => echoes).toEqual(["t 0123456789abcdef"]);
});

test("a gap starts anew from a snapshot", async () => {
  const { requests } = await watch([
    { send: [snapshotMessage(1), eventMessage(3, { case: "matchEnded", value: {} })] },
    { send: [snapshotMessage(3, { phase: TablePhase.OVER })] },
  ]);
  expect(requests.map(({ afterSequence }) => afterSequence)).toEqual([0n, 0n]);
});

test("a silent connection is dropped and resumed", async () => {
  const { requests } = await watch([{ send: [snapshotMessage(1)], then: "silence" }, { send: [over] }], {
    silenceMs: 20,
  });
  expect(requests.map(({ afterSequence }) => afterSequence)).toEqual([0n, 1n]);
});

test("retries wait longer and longer while nothing comes", async () => {
  const unreachable = { send: [], then: new TypeError("Failed to fetch") };
  const { waits } = await watch([
    unreachable,
    unreachable,
    unreachable,
    unreachable,
    { send: [snapshotMessage(1), over] },
  ]);
  expect(waits).toHaveLength(4);
  expect(waits.at(-1)).toBeGreaterThan(waits[0] ?? Infinity);
});

test("a newer connection of the account ends this one for good", async () => {
  const taken = platformError(Code.Aborted, "SEAT_TAKEN_BY_NEWER_CONNECTION");
  const { requests, connections } = await watch([{ send: [snapshotMessage(1)], then: taken }]);
  expect([requests.length, connections.at(-1)]).toEqual([1, "taken"]);
});

test("a table that is no more ends the stream", async () => {
  const { connections } = await watch([{ send: [], then: platformError(Code.NotFound, "TABLE_NOT_FOUND") }]);
  expect(connections.at(-1)).toBe("gone");
});

test("a refused token is renewed before the next try", async () => {
  let renewed = 0;
  const expired = platformError(Code.Unauthenticated, "SESSION_EXPIRED");
  const renewToken = () => Promise.resolve(renewed++);
  await watch([{ send: [], then: expired }, { send: [snapshotMessage(1), over] }], { renewToken });
  expect(renewed).toBe(1);
});

test("an aborted watch ends without a word", async () => {
  const controller = new AbortController();
  const onMessage = () => {
    controller.abort();
  };
  const { connections } = await watch([{ send: [snapshotMessage(1)], then: "silence" }], { onMessage }, controller);
  expect(connections).not.toContain("reconnecting");
});
