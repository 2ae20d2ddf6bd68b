// Waiting and trying again.
import { failureOf, isTransient } from "./errors";

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** How long to wait before the nth retry (from 0): doubles from 250 ms to 8 s, half of it by chance. */
export function backoffMs(retry: number, random: Random = Math.random): number {
  const full = Math.min(8_000, 250 * 2 ** Math.min(retry, 16));
  return full / 2 + (full / 2) * random();
}

/** Waits; ends early, without an error, when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** How `retrying` goes on. */
export interface RetryOptions {
  signal?: AbortSignal;
  /** Calls altogether; 6 if absent, which takes up to about 8 s. */
  tries?: number;
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Who is told to come back later than this is told so, not kept waiting. */
const patienceMs = 10_000;

/**
 * Makes an idempotent call, again and again while the failure is transient. The last failure is thrown, and one that
 * asks for more patience than 10 s.
 */
export async function retrying<T>(call: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { signal, tries = 6, wait = pause } = options;
  for (let retry = 0; ; retry++) {
    try {
      return await call();
    } catch (error) {
      const delayMs = failureOf(error).retryDelayMs ?? 0;
      if (retry + 1 >= tries || signal?.aborted || !isTransient(error) || delayMs > patienceMs) throw error;
      await wait(Math.max(delayMs, backoffMs(retry)), signal);
      if (signal?.aborted) throw error;
    }
  }
}
