// Keeps a table's stream running: resumes where it broke off, starts anew from a snapshot where that fails.
import type { Client } from "@connectrpc/connect";
import { endless, isTokenRefused } from "../api/client";
import { failureOf, reasonOf } from "../api/errors";
import { backoffMs, pause } from "../api/retry";
import { SignedOutError } from "../api/session";
import { whileAlive } from "../api/watch";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import { TablePhase } from "../gen/mahjongplanet/table/v1/event_pb";
import type { TableService, WatchTableResponse } from "../gen/mahjongplanet/table/v1/table_service_pb";
import { reduce, ResyncNeeded, type TableState } from "./reducer";

/** Where a connection stands: the last four mean that it is over for good. */
export type Connection = "connecting" | "live" | "reconnecting" | "taken" | "gone" | "signedOut" | "over";

/** What a stream works with; the browser's own, or a test's. */
export interface StreamParts {
  tables: Client<typeof TableService>;
  /** Gets another access token when the server has refused the present one. */
  renewToken: () => Promise<unknown>;
  /** Takes each message, with the state after it. */
  onMessage: (state: TableState, message: WatchTableResponse) => void;
  onConnection: (connection: Connection) => void;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  silenceMs?: number;
}

/** Watches a table until the signal aborts or there is nothing more to watch; never throws. */
export async function watchTable(tableId: string, parts: StreamParts, signal: AbortSignal): Promise<void> {
  let state: TableState | undefined;
  let retry = 0;
  parts.onConnection("connecting");
  while (!signal.aborted) {
    try {
      for await (const message of messages(tableId, state, parts, signal)) {
        state = reduce(state, message);
        if (message.payload.case !== "snapshot") retry = 0;
        parts.onMessage(state, message);
        parts.onConnection("live");
      }
      if (state?.table.phase === TablePhase.OVER) {
        parts.onConnection("over");
        return;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      const end = endOf(error, state);
      if (end) {
        parts.onConnection(end);
        return;
      }
      if (error instanceof ResyncNeeded) state = undefined;
      if (isTokenRefused(error)) await parts.renewToken().catch(() => undefined);
      retry = Math.max(retry, failureOf(error).retryDelayMs === undefined ? 0 : 1);
    }
    parts.onConnection("reconnecting");
    await (parts.wait ?? pause)(backoffMs(retry++), signal);
  }
}

/** The messages of one connection, resumed behind what the state has seen. */
async function* messages(
  tableId: string,
  state: TableState | undefined,
  parts: StreamParts,
  signal: AbortSignal,
): AsyncGenerator<WatchTableResponse> {
  const request = { tableId, epoch: state?.epoch ?? 0n, afterSequence: state?.sequence ?? 0n };
  const open = (alive: AbortSignal): AsyncIterable<WatchTableResponse> =>
    parts.tables.watchTable(request, { ...endless, signal: alive });
  for await (const message of whileAlive(open, signal, parts.silenceMs)) {
    if (message.payload.case === "heartbeat" && message.payload.value.echoId) {
      echo(tableId, message.payload.value.echoId, parts);
    }
    yield message;
  }
}

/** Lets the server measure the way here and back, for the player's latency credit; one that gets lost is not missed. */
function echo(tableId: string, echoId: string, parts: StreamParts): void {
  parts.tables.echoHeartbeat({ tableId, echoId }, { timeoutMs: 5_000 }).catch(() => undefined);
}

function endOf(error: unknown, state: TableState | undefined): Connection | undefined {
  if (error instanceof SignedOutError || (error as Error).cause instanceof SignedOutError) return "signedOut";
  switch (reasonOf(error)) {
    case ErrorReason.SEAT_TAKEN_BY_NEWER_CONNECTION:
      return "taken";
    case ErrorReason.TABLE_NOT_FOUND:
    case ErrorReason.NOT_SEATED:
    case ErrorReason.MATCH_OVER:
      return state?.table.phase === TablePhase.OVER ? "over" : "gone";
    default:
      return undefined;
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
