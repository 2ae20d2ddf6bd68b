// Where a replay stands, and how it goes on by itself.

/** How long a step stays on the screen while the replay plays. */
const stepMs = 900;

/** Goes through a number of steps, by hand or by itself. */
export class Stepper {
  #count = $state(0);
  #at = $state(0);
  #timer = $state.raw<ReturnType<typeof setInterval>>();

  /** How many steps there are. */
  get count(): number {
    return this.#count;
  }

  /** The step that is shown, from 0. */
  get at(): number {
    return this.#at;
  }

  set at(step: number) {
    this.#at = Math.max(0, Math.min(step, this.#count - 1));
  }

  get isFirst(): boolean {
    return this.#at === 0;
  }

  get isLast(): boolean {
    return this.#at >= this.#count - 1;
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins anew with other steps. */
  reset(count: number): void {
    this.pause();
    this.#count = count;
    this.#at = 0;
  }

  /** Goes to a step and stays there. */
  seek(step: number): void {
    this.pause();
    this.at = step;
  }

  /** Goes on by itself, from the beginning if it is at the end. */
  play(): void {
    if (this.isPlaying || this.#count === 0) return;
    if (this.isLast) this.at = 0;
    this.#timer = setInterval(() => {
      this.at += 1;
      if (this.isLast) this.pause();
    }, stepMs);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Takes a key; true if it means something here. */
  press(key: string): boolean {
    switch (key) {
      case "ArrowLeft":
        this.seek(this.#at - 1);
        return true;
      case "ArrowRight":
        this.seek(this.#at + 1);
        return true;
      case "PageUp":
        this.seek(this.#at - 10);
        return true;
      case "PageDown":
        this.seek(this.#at + 10);
        return true;
      case "Home":
        this.seek(0);
        return true;
      case "End":
        this.seek(this.#count - 1);
        return true;
      case " ":
        if (this.isPlaying) this.pause();
        else this.play();
        return true;
      default:
        return false;
    }
  }
}
