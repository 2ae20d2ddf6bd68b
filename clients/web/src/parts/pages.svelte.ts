// A list that a service gives by pages.
import { textOfError } from "../api/errors";
import { retrying } from "../api/retry";

/** One page of a list. */
export interface ListPage<Item> {
  items: Item[];
  /** What the next page is asked for by; empty at the end of the list. */
  nextPageToken: string;
}

/** As many pages of a list as were asked for. Only the newest question counts: an older one is broken off. */
export class Pages<Item> {
  readonly #read: (pageToken: string, signal: AbortSignal) => Promise<ListPage<Item>>;
  /** Undefined before the first answer. */
  items = $state.raw<Item[]>();
  error = $state<string>();
  isBusy = $state(false);
  #next = $state("");
  #asking = new AbortController();

  /** @param read Asks for the page of a token; the first one if it is empty. */
  constructor(read: (pageToken: string, signal: AbortSignal) => Promise<ListPage<Item>>) {
    this.#read = read;
  }

  get hasMore(): boolean {
    return this.#next !== "";
  }

  /** Reads the list from its beginning. */
  async load(): Promise<void> {
    await this.#append("", []);
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    await this.#append(this.#next, this.items ?? []);
  }

  /** Reads nothing more, as when the list is left. */
  stop(): void {
    this.#asking.abort();
  }

  async #append(pageToken: string, before: readonly Item[]): Promise<void> {
    this.#asking.abort();
    const { signal } = (this.#asking = new AbortController());
    this.isBusy = true;
    this.error = undefined;
    try {
      const { items, nextPageToken } = await retrying(() => this.#read(pageToken, signal), { signal });
      if (signal.aborted) return;
      this.items = [...before, ...items];
      this.#next = nextPageToken;
    } catch (failure) {
      if (!signal.aborted) this.error = textOfError(failure);
    } finally {
      if (this.#asking.signal === signal) this.isBusy = false;
    }
  }
}
