// Who is signed in on this device: tokens in local storage, refreshed by one tab at a time.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { AccountService, Profile, Session } from "../gen/mahjongplanet/account/v1/account_service_pb";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import { reasonOf } from "./errors";
import { retrying } from "./retry";

const storageKey = "mahjongplanet.session";
const lockName = "mahjongplanet.refresh";
/** A token that has less than this left is refreshed before it is used. */
const marginMs = 30_000;

/** A signed-in player, as kept in local storage. */
export interface SignedIn {
  playerId: string;
  displayName: string;
  isGuest: boolean;
  accessToken: string;
  accessExpireMs: number;
  refreshToken: string;
}

/** Nobody is signed in, or not any more. */
export class SignedOutError extends Error {
  override readonly name = "SignedOutError";
}

/** Runs a function while no other tab runs one under the same name. */
export type Lock = <T>(name: string, run: () => Promise<T>) => Promise<T>;

/** What a session keeper works with; the browser's own, or a test's. */
export interface SessionParts {
  accounts: Client<typeof AccountService>;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  lock: Lock;
  /** The server's time. */
  now: () => number;
}

/** Signs in and out, and hands out access tokens that are good now. */
export class SessionKeeper {
  readonly #parts: SessionParts;
  readonly #listeners = new Set<(signedIn: SignedIn | undefined) => void>();
  #refreshing: Promise<string> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Who is signed in, read from storage: another tab may have changed it. */
  get current(): SignedIn | undefined {
    const stored = this.#parts.storage.getItem(storageKey);
    if (stored === null) return undefined;
    try {
      return JSON.parse(stored) as SignedIn;
    } catch {
      return undefined;
    }
  }

  /** Calls the listener when somebody signs in or out here, or in another tab (see `storageChanged`). */
  subscribe(listener: (signedIn: SignedIn | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called on the window's `storage` event. */
  storageChanged(key: string | null): void {
    if (key === null || key === storageKey) this.#notify();
  }

  /** Makes a guest account; the server chooses a name if it is empty. */
  async signInAsGuest(displayName: string): Promise<void> {
    const { profile, session } = await this.#parts.accounts.createGuest({ displayName: displayName.trim() });
    this.#store(profile, session);
  }

  /** Signs out here at once, and ends the session at the server if it can be reached. */
  async signOut(): Promise<void> {
    const refreshToken = this.current?.refreshToken;
    this.#parts.storage.removeItem(storageKey);
    this.#notify();
    if (refreshToken !== undefined) await retrying(() => this.#parts.accounts.signOut({ refreshToken }), { tries: 3 });
  }

  /**
   * An access token that is good for the next half minute.
   *
   * @param spent A token that the server has just refused as expired; another one is returned.
   * @throws SignedOutError if nobody is signed in, or the session has ended.
   */
  async accessToken(spent?: string): Promise<string> {
    const good = this.#goodToken(spent);
    if (good !== undefined) return good;
    this.#refreshing ??= this.#refresh(spent).finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  #goodToken(spent?: string): string | undefined {
    const signedIn = this.current;
    if (!signedIn) throw new SignedOutError();
    const isGood = signedIn.accessToken !== spent && signedIn.accessExpireMs - this.#parts.now() > marginMs;
    return isGood ? signedIn.accessToken : undefined;
  }

  #refresh(spent?: string): Promise<string> {
    return this.#parts.lock(lockName, async () => {
      const good = this.#goodToken(spent); // another tab may have refreshed while this one waited
      if (good !== undefined) return good;
      const refreshToken = this.current?.refreshToken ?? "";
      try {
        // A lost answer may be asked for again within 10 s: the server gives the same session.
        const { profile, session } = await retrying(() => this.#parts.accounts.refreshSession({ refreshToken }));
        if (this.current?.refreshToken !== refreshToken) throw new SignedOutError(); // signed out meanwhile
        return this.#store(profile, session);
      } catch (error) {
        const reason = reasonOf(error);
        const ended =
          reason === ErrorReason.REFRESH_TOKEN_INVALID ||
          reason === ErrorReason.REFRESH_TOKEN_REUSED ||
          reason === ErrorReason.ACCOUNT_NOT_FOUND;
        if (!ended) throw error;
        this.#parts.storage.removeItem(storageKey);
        this.#notify();
        throw new SignedOutError();
      }
    });
  }

  #store(profile: Profile | undefined, session: Session | undefined): string {
    if (!profile || !session?.accessExpireTime) throw new Error("The server sent a session without its parts.");
    const signedIn: SignedIn = {
      playerId: profile.playerId,
      displayName: profile.displayName,
      isGuest: profile.isGuest,
      accessToken: session.accessToken,
      accessExpireMs: timestampMs(session.accessExpireTime),
      refreshToken: session.refreshToken,
    };
    this.#parts.storage.setItem(storageKey, JSON.stringify(signedIn));
    this.#notify();
    return signedIn.accessToken;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.current);
  }
}

/** The browser's lock manager; where there is none (plain HTTP from afar), one tab at a time is the tab's own affair. */
export const browserLock: Lock = (name, run) => ("locks" in navigator ? navigator.locks.request(name, run) : run());
