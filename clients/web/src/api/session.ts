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
  /** What the player would call this device, such as "Firefox on Linux". */
  deviceName: string;
}

/** What makes an account of a guest, or from nothing. */
export interface Registration {
  loginName: string;
  password: string;
  /** Name to show; for a guest, the present one if empty. */
  displayName: string;
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
    const { accounts, deviceName } = this.#parts;
    const { profile, session } = await accounts.createGuest({ displayName: displayName.trim(), deviceName });
    this.#store(profile, session);
  }

  /** Signs an account in by its password. */
  async signIn(loginName: string, password: string): Promise<void> {
    const { accounts, deviceName } = this.#parts;
    const { profile, session } = await accounts.signIn({ loginName: loginName.trim(), password, deviceName });
    this.#store(profile, session);
  }

  /** Makes an account with a password and signs it in. */
  async register(registration: Registration): Promise<void> {
    const { accounts, deviceName } = this.#parts;
    const { profile, session } = await accounts.registerAccount({ ...trimmed(registration), deviceName });
    this.#store(profile, session);
  }

  /** Makes an account of the guest who is signed in; everything that is the guest's stays. */
  async upgradeGuest(registration: Registration): Promise<void> {
    const { profile } = await this.#parts.accounts.upgradeGuest(trimmed(registration));
    await this.#adopt(profile);
  }

  /** Changes the name that is shown. */
  async rename(displayName: string): Promise<void> {
    const { profile } = await this.#parts.accounts.setMyDisplayName({ displayName: displayName.trim() });
    await this.#adopt(profile);
  }

  /** Changes the password; every other session of the account ends. */
  async changePassword(currentPassword: string, newPassword: string): Promise<void> {
    const playerId = this.current?.playerId;
    const { session } = await this.#parts.accounts.changePassword({ currentPassword, newPassword });
    const signedIn = this.current;
    if (session && signedIn && signedIn.playerId === playerId) this.#write({ ...signedIn, ...tokensOf(session) });
  }

  /** Signs out here at once, and ends the session at the server if it can be reached. */
  async signOut(): Promise<void> {
    const refreshToken = this.current?.refreshToken;
    this.#forget();
    if (refreshToken !== undefined) await retrying(() => this.#parts.accounts.signOut({ refreshToken }), { tries: 3 });
  }

  /** Ends every session of the player, then signs out here. */
  async signOutEverywhere(): Promise<void> {
    await retrying(() => this.#parts.accounts.signOutEverywhere({}), { tries: 3 });
    this.#forget();
  }

  /**
   * Deletes the account for good, then signs out here.
   *
   * @param password Empty if the account has none.
   */
  async deleteAccount(password: string): Promise<void> {
    await this.#parts.accounts.deleteMyAccount({ password });
    this.#forget();
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
      const { playerId, refreshToken } = this.current ?? { playerId: "", refreshToken: "" };
      try {
        // A lost answer may be asked for again within 10 s: the server gives the same session.
        const { profile, session } = await retrying(() => this.#parts.accounts.refreshSession({ refreshToken }));
        return this.#replaced(playerId, refreshToken) ?? this.#store(profile, session);
      } catch (error) {
        if (!isEnded(error)) throw error;
        const replaced = this.#replaced(playerId, refreshToken);
        if (replaced !== undefined) return replaced;
        this.#forget();
        throw new SignedOutError();
      }
    });
  }

  /**
   * The access token of the session that took the place of this one meanwhile, as a new password makes one; undefined if
   * none did.
   *
   * @throws SignedOutError if nobody is signed in any more, or somebody else is.
   */
  #replaced(playerId: string, refreshToken: string): string | undefined {
    const signedIn = this.current;
    if (signedIn?.playerId !== playerId) throw new SignedOutError();
    return signedIn.refreshToken === refreshToken ? undefined : signedIn.accessToken;
  }

  /** Shows a changed profile at once, and gets the access token that carries its name. */
  async #adopt(profile: Profile | undefined): Promise<void> {
    await this.#parts.lock(lockName, () => {
      const signedIn = this.current;
      if (profile && signedIn?.playerId === profile.playerId) this.#write({ ...signedIn, ...namesOf(profile) });
      return Promise.resolve();
    });
    await this.accessToken(this.current?.accessToken).catch(() => undefined); // the next refresh brings it, too
  }

  #store(profile: Profile | undefined, session: Session | undefined): string {
    if (!profile || !session) throw new Error("The server sent a session without its parts.");
    return this.#write({ playerId: profile.playerId, ...namesOf(profile), ...tokensOf(session) });
  }

  #write(signedIn: SignedIn): string {
    this.#parts.storage.setItem(storageKey, JSON.stringify(signedIn));
    this.#notify();
    return signedIn.accessToken;
  }

  #forget(): void {
    this.#parts.storage.removeItem(storageKey);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.current);
  }
}

function namesOf({ displayName, isGuest }: Profile): Pick<SignedIn, "displayName" | "isGuest"> {
  return { displayName, isGuest };
}

function tokensOf(session: Session): Pick<SignedIn, "accessToken" | "accessExpireMs" | "refreshToken"> {
  const { accessToken, accessExpireTime, refreshToken } = session;
  return { accessToken, accessExpireMs: accessExpireTime ? timestampMs(accessExpireTime) : 0, refreshToken };
}

function trimmed({ loginName, password, displayName }: Registration): Registration {
  return { loginName: loginName.trim(), password, displayName: displayName.trim() };
}

/** Whether a session cannot be refreshed any more. */
function isEnded(error: unknown): boolean {
  const reason = reasonOf(error);
  return (
    reason === ErrorReason.REFRESH_TOKEN_INVALID ||
    reason === ErrorReason.REFRESH_TOKEN_REUSED ||
    reason === ErrorReason.ACCOUNT_NOT_FOUND
  );
}

/** The browser's lock manager; where there is none (plain HTTP from afar), one tab at a time is the tab's own affair. */
export const browserLock: Lock = (name, run) => ("locks" in navigator ? navigator.locks.request(name, run) : run());
