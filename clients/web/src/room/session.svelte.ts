// The room that the player is in: a private table before, between and after its matches.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { untrack } from "svelte";
import { endless } from "../api/client";
import { failureOf, isTransient, reasonOf, textOfError } from "../api/errors";
import { newUuid } from "../api/random";
import { retrying } from "../api/retry";
import { keepWatching, untilOnline } from "../api/watch";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import type { ComputerLevel } from "../gen/mahjongplanet/game/v1/terms_pb";
import {
  RoomState,
  type CreateRoomRequestSchema,
  type JoinRoomRequestSchema,
  type Room,
  type RoomSettings,
  type WatchRoomResponse,
} from "../gen/mahjongplanet/matchmaker/v1/room_service_pb";
import type { Page, Route } from "../page.svelte";
import { text } from "../strings";
import { changesOf, namesOf } from "./people";

/** How a room is found: by code, by link, or a public one by its id. */
export type Invite = MessageInitShape<typeof JoinRoomRequestSchema>["invite"];
/** What the host chooses. */
export type Terms = Pick<RoomSettings, "ruleSet" | "clock" | "length" | "public" | "seatsByLot">;
/** A room to open. */
export type NewRoom = Pick<MessageInitShape<typeof CreateRoomRequestSchema>, "settings" | "computers">;
/** How the room is watched. */
export type RoomConnection = "connecting" | "live" | "lost" | "ended";

interface Answer {
  room?: Room | undefined;
}

/** The player's room, watched while somebody looks at the page; goes to the table when a match starts. */
export class RoomSession {
  readonly #page: Page;
  #followers = 0;
  #leaving = new AbortController();
  #ownerId: string | undefined;
  #view: Route["view"] = "lobby";
  /** The room as it is now; undefined if the player is in none, or it is not known yet. */
  room = $state.raw<Room>();
  connection = $state<RoomConnection>("connecting");
  /** Whether a change of the player's is on the way. */
  isBusy = $state(false);
  /** What last went wrong, for the player to read. */
  notice = $state<string>();
  /** What others have done last, in words, for screen readers. */
  announcement = $state("");
  /** The match whose table has been gone to, or need not be gone to again. */
  #seatedMatch = "";
  /** Of a start that may have got through; sent again under the same id until that is known. */
  #startId = "";

  constructor(page: Page) {
    this.#page = page;
  }

  /** The room's id; empty without a room. */
  get roomId(): string {
    return this.room?.roomId ?? "";
  }

  /** The player's own id. */
  get ownId(): string {
    return this.#page.signedIn?.playerId ?? "";
  }

  /** Whether the player is the host. */
  get isHost(): boolean {
    return this.room !== undefined && this.room.hostPlayerId === this.ownId;
  }

  /** Watches the player's room, if there is one, as long as anybody follows it; returns how to stop following. */
  follow(): () => void {
    this.#followers++;
    if (this.#followers === 1) untrack(() => void this.#watch()); // an effect that follows depends on nothing here
    return () => {
      this.#followers--;
      if (this.#followers === 0) this.#leaving.abort();
    };
  }

  /** Told when another view is shown: what went wrong was told in the one where it came up. */
  seenFrom(view: Route["view"]): void {
    if (view !== this.#view) this.notice = undefined;
    this.#view = view;
  }

  /** Asks which room the player is in, and watches it. */
  again(): void {
    void this.#watch();
  }

  /** Opens a room; true if that worked. A retry after a lost answer is the same request. */
  async create(room: NewRoom): Promise<boolean> {
    const request = { requestId: newUuid(), ...room };
    return this.#enter(() => this.#rooms.createRoom(request));
  }

  /** Takes a seat in a room; true if that worked. */
  async join(invite: Invite): Promise<boolean> {
    return this.#enter(() => this.#rooms.joinRoom({ invite }));
  }

  /** Leaves the room; true if that worked. */
  async leave(): Promise<boolean> {
    const { roomId } = this;
    this.#leaving.abort(); // the stream would tell that the player is not in the room any more
    const hasLeft = await this.#call(() => this.#rooms.leaveRoom({ roomId }).then(() => ({})));
    if (hasLeft) this.room = undefined;
    else this.again();
    return hasLeft;
  }

  /** Says whether the player is ready. */
  setReady(ready: boolean): Promise<boolean> {
    return this.#call(() => this.#rooms.setReady({ roomId: this.roomId, ready }));
  }

  /** Moves the player to an open seat. */
  moveTo(seat: number): Promise<boolean> {
    return this.#call(() => this.#rooms.moveToSeat({ roomId: this.roomId, seat }));
  }

  /** Host: other terms. */
  update(settings: Terms): Promise<boolean> {
    return this.#call(() => this.#rooms.updateRoom({ roomId: this.roomId, settings }));
  }

  /** Host: gives a seat to a computer, or opens it (UNSPECIFIED). */
  setSeat(seat: number, computer: ComputerLevel): Promise<boolean> {
    return this.#call(() => this.#rooms.setRoomSeat({ roomId: this.roomId, seat, computer }));
  }

  /** Host: removes somebody for good. */
  kick(playerId: string): Promise<boolean> {
    return this.#call(() => this.#rooms.kickFromRoom({ roomId: this.roomId, playerId }));
  }

  /** Host: makes a new invite, which ends the old one. Not idempotent, and so not sent again. */
  renewInvite(): Promise<boolean> {
    return this.#call(() => this.#rooms.renewInvite({ roomId: this.roomId }), 1);
  }

  /** Host: starts the match, or the rematch; computers of this level take open seats. */
  start(fill: ComputerLevel): Promise<boolean> {
    return this.#begin((requestId) => this.#rooms.startRoom({ requestId, roomId: this.roomId, fill }));
  }

  /** Host: looks for a table together, as a party. */
  queue(): Promise<boolean> {
    return this.#begin((requestId) => this.#rooms.queueRoom({ requestId, roomId: this.roomId }));
  }

  get #rooms(): Page["services"]["rooms"] {
    return this.#page.services.rooms;
  }

  async #watch(known?: Room): Promise<void> {
    this.#leaving.abort();
    if (this.#ownerId !== this.ownId) this.room = undefined;
    this.#ownerId = this.ownId;
    this.connection = "connecting";
    const { signal } = (this.#leaving = new AbortController());
    try {
      const room = known ?? (await this.#find(signal));
      if (room) await this.#keepUpWith(room.roomId, signal);
    } catch (error) {
      if (!signal.aborted) this.#end(error);
    }
  }

  /** Asks which room the player is in; undefined for none. */
  async #find(signal: AbortSignal): Promise<Room | undefined> {
    try {
      const { room } = await retrying(() => this.#rooms.getMyRoom({}, { signal }), { signal, tries: Infinity });
      // Who has not come back to the room itself is offered the way to its table, not sent there.
      if (room && this.#view !== "room") this.#seatedMatch = room.matchId;
      if (room) this.#take(room);
      return room;
    } catch (error) {
      if (signal.aborted || reasonOf(error) !== ErrorReason.ROOM_NOT_FOUND) throw error;
      if (this.room) this.notice = text.room.away;
      this.room = undefined;
      this.connection = "ended";
      return undefined;
    }
  }

  async #keepUpWith(roomId: string, signal: AbortSignal): Promise<void> {
    const open = (alive: AbortSignal): AsyncIterable<WatchRoomResponse> =>
      this.#rooms.watchRoom({ roomId }, { ...endless, signal: alive });
    const onMessage = ({ room }: WatchRoomResponse): boolean => {
      this.connection = "live";
      if (room) this.#take(room);
      return false;
    };
    const renewToken = (): Promise<unknown> => this.#page.session.accessToken(this.#page.session.current?.accessToken);
    const onBreak = (): void => {
      this.connection = "lost";
    };
    await keepWatching({ open, onMessage, renewToken, onBreak, wait: untilOnline }, signal);
  }

  /** Says why the room cannot be watched any more. */
  #end(error: unknown): void {
    const reason = reasonOf(error);
    const isOut = reason === ErrorReason.ROOM_NOT_FOUND || reason === ErrorReason.NOT_IN_ROOM;
    if (isOut) this.room = undefined;
    this.notice = reason === ErrorReason.NOT_IN_ROOM ? text.room.removed : textOfError(error);
    this.connection = "ended";
  }

  /** Takes a room as the server has told it, unless a newer one is known. */
  #take(room: Room): void {
    const before = this.room?.roomId === room.roomId ? this.room : undefined;
    if (before && room.version < before.version) return;
    this.room = room;
    if (before) this.announcement = text.list(changesOf(before, room, this.ownId)) || this.announcement;
    if (room.state === RoomState.PLAYING || room.state === RoomState.QUEUED) this.#startId = "";
    if (room.state !== RoomState.PLAYING || room.matchId === this.#seatedMatch) return;
    this.#seatedMatch = room.matchId;
    this.#page.go({ view: "table", tableId: room.tableId });
  }

  /** Comes into a room and watches it. */
  async #enter(call: () => Promise<Answer>): Promise<boolean> {
    const isIn = await this.#call(call);
    if (isIn && this.#followers > 0) void this.#watch(this.room);
    return isIn;
  }

  /** Starts something that must not be started twice. */
  #begin(call: (requestId: string) => Promise<Answer>): Promise<boolean> {
    const requestId = (this.#startId ||= newUuid());
    return this.#call(async () => {
      try {
        const answer = await call(requestId);
        this.#startId = "";
        return answer;
      } catch (error) {
        if (!isTransient(error)) this.#startId = "";
        throw error;
      }
    });
  }

  /** Makes a change, again while the failure is transient; true if it worked, else `notice` says why not. */
  async #call(call: () => Promise<Answer>, tries = 6): Promise<boolean> {
    this.isBusy = true;
    this.notice = undefined;
    try {
      const { room } = await retrying(call, { tries });
      if (room) this.#take(room);
      return true;
    } catch (error) {
      this.#refused(error);
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  #refused(error: unknown): void {
    const { reason, metadata } = failureOf(error);
    const names = text.list(namesOf(this.room, (metadata["player_ids"] ?? "").split(",")));
    if (reason === ErrorReason.ALREADY_IN_ROOM) this.again();
    if (reason === ErrorReason.PLAYERS_NOT_READY && names) this.notice = text.room.notReady(names);
    else if (reason === ErrorReason.PLAYER_BUSY && names) this.notice = text.room.busy(names);
    else this.notice = textOfError(error);
  }
}
