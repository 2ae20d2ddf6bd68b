// What all views share: the services, who is signed in, the address, the time.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { createContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { servicesOver, type Services, type TokenSource } from "./api/client";
import { ServerClock } from "./api/clock";
import { deviceNameOf } from "./api/device";
import { textOfError } from "./api/errors";
import { retrying } from "./api/retry";
import { browserLock, SessionKeeper, type SignedIn } from "./api/session";
import { RoomSession } from "./room/session.svelte";
import type { GetServerInfoResponse } from "./gen/mahjongplanet/gateway/v1/gateway_service_pb";

/** Which view is shown, kept in the address so that a reload shows it again. */
export type Route =
  | { view: "lobby" }
  | { view: "table"; tableId: string }
  | { view: "match"; matchId: string }
  | { view: "replay"; matchId: string; handNumber: number }
  | { view: "create" }
  | { view: "room" }
  | { view: "invite"; by: "code" | "linkToken"; invite: string }
  | { view: "account" }
  | { view: "ratings" }
  | { view: "friends" }
  | { view: "player"; playerId: string };

/** Reads the part of an address after the `#`. */
export function routeOf(hash: string): Route {
  const [, view, id, part, number] = hash.replace(/^#/, "").split("/");
  if (view === "table" && id) return { view, tableId: id };
  if (view === "match" && id && part === "hand")
    return { view: "replay", matchId: id, handNumber: Number(number) || 0 };
  if (view === "match" && id) return { view, matchId: id };
  if (view === "code" && id) return { view: "invite", by: "code", invite: id };
  if (view === "room" && id) return { view: "invite", by: "linkToken", invite: id };
  if (view === "create" || view === "room") return { view };
  if (view === "account" || view === "ratings" || view === "friends") return { view };
  if (view === "player" && id) return { view, playerId: id };
  return { view: "lobby" };
}

/** The address of a view. */
export function hashOf(route: Route): string {
  switch (route.view) {
    case "table":
      return `#/table/${route.tableId}`;
    case "match":
      return `#/match/${route.matchId}`;
    case "replay":
      return `#/match/${route.matchId}/hand/${route.handNumber}`;
    case "player":
      return `#/player/${route.playerId}`;
    case "invite":
      return `#/${route.by === "code" ? "code" : "room"}/${route.invite}`;
    case "create":
    case "room":
    case "account":
    case "ratings":
    case "friends":
      return `#/${route.view}`;
    case "lobby":
      return "#/";
  }
}

/** The page's shared state. One for the whole page. */
export class Page {
  readonly clock = new ServerClock();
  readonly session: SessionKeeper;
  readonly services: Services;
  /** The private table that the player is at. */
  readonly room = new RoomSession(this);
  signedIn = $state.raw<SignedIn>();
  route = $state.raw<Route>({ view: "lobby" });
  serverInfo = $state.raw<GetServerInfoResponse>();
  /** Why the server's terms could not be read; undefined if they were, or are on the way. */
  serverError = $state<string>();
  readonly #everyMoment = createSubscriber((update) => {
    const timer = setInterval(update, 200);
    return () => {
      clearInterval(timer);
    };
  });

  /**
   * @param connect Makes the transport to the gateway, given where it gets access tokens.
   * @param storage Where the session is kept.
   */
  constructor(connect: (token: TokenSource) => Transport, storage: Storage) {
    this.services = servicesOver(connect((spent) => this.session.accessToken(spent)));
    this.session = new SessionKeeper({
      accounts: this.services.accounts,
      storage,
      lock: browserLock,
      now: () => this.clock.now(),
      deviceName: deviceNameOf(navigator.userAgent),
    });
  }

  /** Follows the address, other tabs and the server; returns how to stop. */
  start(): () => void {
    const readRoute = (): void => {
      this.route = routeOf(location.hash);
      scrollTo({ top: 0 });
    };
    const readStorage = (event: StorageEvent): void => {
      this.session.storageChanged(event.key);
    };
    readRoute();
    this.signedIn = this.session.current;
    const unsubscribe = this.session.subscribe((signedIn) => (this.signedIn = signedIn));
    addEventListener("hashchange", readRoute);
    addEventListener("storage", readStorage);
    void this.readServerInfo();
    return () => {
      unsubscribe();
      removeEventListener("hashchange", readRoute);
      removeEventListener("storage", readStorage);
    };
  }

  /** Asks the server for its rule sets, clocks and time. */
  async readServerInfo(): Promise<void> {
    this.serverError = undefined;
    try {
      const info = await retrying(() => this.services.gateway.getServerInfo({}));
      if (info.serverTime) this.clock.observe(timestampMs(info.serverTime));
      this.serverInfo = info;
    } catch (error) {
      this.serverError = textOfError(error);
    }
  }

  /** Shows another view; with `replace` the way back leads past the one that is shown now. */
  go(route: Route, { replace = false } = {}): void {
    if (replace) location.replace(hashOf(route));
    else location.hash = hashOf(route);
  }

  /** The server's time in milliseconds; where it is read in a template, it keeps itself up to date. */
  get now(): number {
    this.#everyMoment();
    return this.clock.now();
  }
}

/** The page's shared state, handed down from `App`. */
export const [getPage, setPage] = createContext<Page>();
