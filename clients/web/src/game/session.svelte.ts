// One viewer at one table: what is shown, and the calls that answer.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { failureOf, reasonOf, textOfError } from "../api/errors";
import { newUuid } from "../api/random";
import { retrying } from "../api/retry";
import { untilOnline } from "../api/watch";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import type { Action } from "../gen/mahjongplanet/game/v1/terms_pb";
import { TablePhase, type TableEvent, type TableSnapshot } from "../gen/mahjongplanet/table/v1/event_pb";
import type { WatchTableResponse } from "../gen/mahjongplanet/table/v1/table_service_pb";
import type { Page } from "../page.svelte";
import { nonceBytes, pledgeFor } from "./fairness";
import { announcementOf, calloutOf, type Callout } from "./narration";
import type { TableState } from "./reducer";
import { watchTable, type Connection } from "./stream";

/** How long a call such as "Pung" stays beside the seat that made it. */
const calloutMs = 1_800;

/** Watches a table and answers its questions. */
export class TableSession {
  readonly tableId: string;
  readonly #page: Page;
  #leaving = new AbortController();
  table = $state.raw<TableSnapshot>();
  connection = $state<Connection>("connecting");
  /** The decision that an answer is on the way for, or has been accepted for. */
  answered = $state<string>();
  /** The answer that is on the way. */
  pending = $state.raw<Action>();
  /** Number of the hand whose result the viewer has confirmed. */
  confirmedHand = $state<number>();
  /** What last went wrong, for the player to read. */
  notice = $state<string>();
  callout = $state.raw<Callout>();
  /** The last thing that happened, in words, for screen readers. */
  announcement = $state("");
  #pledgedMatch = "";

  constructor(tableId: string, page: Page) {
    this.tableId = tableId;
    this.#page = page;
  }

  /** The viewer's open decision, unless it has been answered. */
  get decision(): TableSnapshot["decision"] {
    const decision = this.table?.decision;
    return decision && decision.decisionId !== this.answered ? decision : undefined;
  }

  /** Watches until `stop`; to be called again to take the seat back from another window. */
  start(): void {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const parts = {
      tables: this.#page.services.tables,
      renewToken: () => this.#page.session.accessToken(this.#page.session.current?.accessToken),
      onMessage: (state: TableState, message: WatchTableResponse) => {
        this.#take(state, message);
      },
      onConnection: (connection: Connection) => (this.connection = connection),
      wait: untilOnline,
    };
    void watchTable(this.tableId, parts, this.#leaving.signal);
  }

  stop(): void {
    this.#leaving.abort();
  }

  /** Answers the open decision; a lost call is sent again under the same request id. */
  async answer(action: Action): Promise<void> {
    const decisionId = this.decision?.decisionId;
    if (decisionId === undefined) return;
    this.answered = decisionId;
    this.pending = action;
    this.notice = undefined;
    const request = { requestId: newUuid(), tableId: this.tableId, decisionId, action };
    try {
      await retrying(() => this.#page.services.tables.submitAction(request), {
        signal: this.#leaving.signal,
        tries: 12,
      });
    } catch (error) {
      this.#refused(error, decisionId);
    } finally {
      if (this.pending === action) this.pending = undefined;
    }
  }

  /** Confirms that the viewer has seen the result on the table. */
  async confirm(): Promise<void> {
    const handNumber = this.table?.hand?.handNumber;
    if (handNumber === undefined) return;
    this.confirmedHand = handNumber;
    if (this.table?.phase !== TablePhase.RESULT) return;
    const request = { tableId: this.tableId, handNumber };
    const call = (): Promise<unknown> => this.#page.services.tables.confirmResult(request);
    if (!(await this.#call(call, ErrorReason.NO_RESULT_OPEN))) this.confirmedHand = undefined;
  }

  /** Leaves a practice table for good; true if it worked. */
  async leavePractice(): Promise<boolean> {
    return this.#call(
      () => this.#page.services.tables.leavePractice({ tableId: this.tableId }),
      ErrorReason.MATCH_OVER,
    );
  }

  #refused(error: unknown, decisionId: string): void {
    const isDecided = reasonOf(error) === ErrorReason.DECISION_CLOSED;
    if (this.answered === decisionId && !isDecided) this.answered = undefined;
    if (!this.#leaving.signal.aborted) this.notice = textOfError(error);
  }

  #take(state: TableState, message: WatchTableResponse): void {
    if (message.serverTime) this.#page.clock.observe(timestampMs(message.serverTime));
    this.table = state.table;
    if (message.payload.case === "event") this.#narrate(message.payload.value, state.table);
    if (state.table.phase === TablePhase.NONCES) void this.#pledge(state.table);
  }

  #narrate(event: TableEvent, table: TableSnapshot): void {
    if (event.event.case === "decisionOpened" || event.event.case === "handDealt") this.notice = undefined;
    this.announcement = announcementOf(event, table) ?? this.announcement;
    const callout = calloutOf(event);
    if (!callout) return;
    this.callout = callout;
    setTimeout(() => {
      if (this.callout === callout) this.callout = undefined;
    }, calloutMs);
  }

  /** Remembers the commitment and adds this player's random number to the shuffle, once. */
  async #pledge({ matchId, commitment }: TableSnapshot): Promise<void> {
    if (this.#pledgedMatch === matchId) return;
    this.#pledgedMatch = matchId;
    const nonce = nonceBytes(pledgeFor(matchId, commitment, localStorage, Date.now()));
    const request = { tableId: this.tableId, nonce };
    await this.#call(() => this.#page.services.tables.submitNonce(request), ErrorReason.NONCE_CLOSED);
  }

  async #call(call: () => Promise<unknown>, harmless: ErrorReason): Promise<boolean> {
    try {
      await retrying(call, { signal: this.#leaving.signal });
      return true;
    } catch (error) {
      if (failureOf(error).reason === harmless) return true;
      if (!this.#leaving.signal.aborted) this.notice = textOfError(error);
      return false;
    }
  }
}
