// A list of players by pages: friends, requests, blocks.
import { textOfError } from "../api/errors";
import { retrying } from "../api/retry";
import type { Relation } from "../gen/mahjongplanet/account/v1/friend_service_pb";

/** One page of relations. */
export interface RelationPage {
  relations: Relation[];
  nextPageToken: string;
}

/** Players whom the caller has something to do with, as many pages of them as were asked for. */
export class Relations {
  readonly #read: (pageToken: string) => Promise<RelationPage>;
  /** Undefined before the first answer. */
  items = $state.raw<Relation[]>();
  error = $state<string>();
  #next = $state("");

  /** @param read Asks for the page of a token; the first one if it is empty. */
  constructor(read: (pageToken: string) => Promise<RelationPage>) {
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

  async #append(pageToken: string, before: readonly Relation[]): Promise<void> {
    try {
      const { relations, nextPageToken } = await retrying(() => this.#read(pageToken));
      this.items = [...before, ...relations];
      this.#next = nextPageToken;
      this.error = undefined;
    } catch (failure) {
      this.error = textOfError(failure);
    }
  }
}
