// The server's time, which every deadline is told in.

/** Milliseconds of some clock that never jumps. */
export type Monotonic = () => number;

/**
 * Tells the server's time from the times that its messages carry. A message is always younger when it was sent than
 * when it comes in, so of the recent ones the one that was fastest on its way is right.
 */
export class ServerClock {
  readonly #monotonic: Monotonic;
  readonly #windowMs: number;
  #samples: { at: number; offset: number }[] = [];
  readonly #fallbackOffset: number;

  constructor(monotonic: Monotonic = () => performance.now(), windowMs = 120_000) {
    this.#monotonic = monotonic;
    this.#windowMs = windowMs;
    this.#fallbackOffset = Date.now() - monotonic();
  }

  /** Takes note of a server time that has just come in. */
  observe(serverMs: number): void {
    const at = this.#monotonic();
    this.#samples = this.#samples.filter((sample) => at - sample.at <= this.#windowMs).slice(-63);
    this.#samples.push({ at, offset: serverMs - at });
  }

  /** The server's time now, in milliseconds since 1970; the device's own before any message came in. */
  now(): number {
    const offset = this.#samples.reduce((best, sample) => Math.max(best, sample.offset), -Infinity);
    return this.#monotonic() + (Number.isFinite(offset) ? offset : this.#fallbackOffset);
  }
}
