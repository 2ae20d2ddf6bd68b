// Keeps a stream of the server's open: notices when it has gone silent, and opens it again after every break.
import { Code, ConnectError } from "@connectrpc/connect";
import { isTokenRefused } from "./client";
import { failureOf, isTransient } from "./errors";
import { backoffMs, pause } from "./retry";

/** The server sends something at least every 5 s; after two messages missed the connection counts as dead. */
const silenceMs = 11_000;

/** Opens a stream that ends when the signal aborts. */
export type Open<T> = (signal: AbortSignal) => AsyncIterable<T>;

/** What a stream is kept open with. */
export interface WatchParts<T> {
  open: Open<T>;
  /** Takes each message; true ends the watch. */
  onMessage: (message: T) => boolean;
  /** Gets another access token when the server has refused the present one. */
  renewToken: () => Promise<unknown>;
  /** Told when the connection has broken, until the next message. */
  onBreak?: () => void;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  silenceMs?: number;
}

/**
 * Watches, again after every break, until `onMessage` has seen enough or the signal aborts.
 *
 * @throws The failure that no retry can help.
 */
export async function keepWatching<T>(parts: WatchParts<T>, signal: AbortSignal): Promise<void> {
  for (let retry = 0; !signal.aborted; retry++) {
    let delayMs = 0;
    try {
      for await (const message of whileAlive(parts.open, signal, parts.silenceMs)) {
        retry = 0;
        if (parts.onMessage(message)) return;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (isTokenRefused(error)) await parts.renewToken().catch(() => undefined);
      else if (!isTransient(error)) throw error;
      delayMs = failureOf(error).retryDelayMs ?? 0;
    }
    if (isAborted(signal)) return;
    parts.onBreak?.();
    await (parts.wait ?? pause)(Math.max(delayMs, backoffMs(retry)), signal);
  }
}

/** The messages of one connection; throws DEADLINE_EXCEEDED when it has been silent for too long. */
export async function* whileAlive<T>(open: Open<T>, signal: AbortSignal, longestMs = silenceMs): AsyncGenerator<T> {
  const connection = new AbortController();
  const abort = (): void => {
    connection.abort();
  };
  let isSilent = false;
  const giveUp = (): void => {
    isSilent = true;
    abort();
  };
  signal.addEventListener("abort", abort);
  let watchdog = setTimeout(giveUp, longestMs);
  try {
    for await (const message of open(connection.signal)) {
      clearTimeout(watchdog);
      watchdog = setTimeout(giveUp, longestMs);
      yield message;
    }
  } catch (error) {
    throw hasGoneSilent() ? new ConnectError("The connection has gone silent.", Code.DeadlineExceeded) : error;
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
    abort();
  }

  function hasGoneSilent(): boolean {
    return isSilent;
  }
}

/** Waits, but no longer than until the browser finds the network again. */
export async function untilOnline(ms: number, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const stop = (): void => {
    done.abort();
  };
  addEventListener("online", stop);
  signal.addEventListener("abort", stop);
  await pause(ms, done.signal);
  removeEventListener("online", stop);
  signal.removeEventListener("abort", stop);
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
