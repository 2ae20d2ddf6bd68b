// Clocks as they are shown.

/** Whole seconds, rounded up: a clock that shows 0 has run out. */
export interface ShownClock {
  baseSeconds: number;
  reserveSeconds: number;
}

/**
 * What a seat's clock shows.
 *
 * @param reserveMs The reserve, the running turn left out.
 * @param baseEndMs When the base time of the running turn ends; undefined if no turn runs.
 * @param deadlineMs When the running turn times out; undefined if no turn runs.
 * @param nowMs The server's time.
 */
export function clockOf(
  reserveMs: number,
  baseEndMs: number | undefined,
  deadlineMs: number | undefined,
  nowMs: number,
): ShownClock {
  if (deadlineMs === undefined) return { baseSeconds: 0, reserveSeconds: seconds(reserveMs) };
  const baseEnd = baseEndMs ?? deadlineMs;
  const reserveLeft = nowMs < baseEnd ? deadlineMs - baseEnd : deadlineMs - nowMs;
  return { baseSeconds: seconds(baseEnd - nowMs), reserveSeconds: seconds(reserveLeft) };
}

/** Whole seconds left until a time, never below 0. */
export function secondsUntil(timeMs: number, nowMs: number): number {
  return seconds(timeMs - nowMs);
}

function seconds(ms: number): number {
  return Math.max(0, Math.ceil(ms / 1000));
}
