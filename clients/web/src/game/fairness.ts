// The fair shuffle as a player can check it in the page ("Shuffle 1" of docs/formats/notation.md). The walls
// themselves are checked from the records, by `mahjong verify`.
import { fromHex, randomBytes, toHex } from "../api/random";

const storagePrefix = "mahjongplanet.match.";
/** Matches remembered on this device. */
const kept = 20;

/** What this device knows of a match from before its first deal. */
export interface Pledge {
  matchId: string;
  /** The server's commitment as first seen, hexadecimal. */
  commitment: string;
  /** This player's own random number, hexadecimal. */
  nonce: string;
  /** When it was made, in milliseconds since 1970, to forget the oldest. */
  madeAt: number;
}

type PledgeStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The pledge of a match, made now if this device has none; a reload finds the same again. */
export function pledgeFor(matchId: string, commitment: Uint8Array, storage: PledgeStorage, now: number): Pledge {
  const known = pledgeOf(matchId, storage);
  if (known) return known;
  const pledge: Pledge = { matchId, commitment: toHex(commitment), nonce: toHex(randomBytes(32)), madeAt: now };
  forgetOldest(storage);
  storage.setItem(storagePrefix + matchId, JSON.stringify(pledge));
  return pledge;
}

/** The pledge of a match, if this device has seen its start. */
export function pledgeOf(matchId: string, storage: PledgeStorage): Pledge | undefined {
  const stored = storage.getItem(storagePrefix + matchId);
  return stored === null ? undefined : (JSON.parse(stored) as Pledge);
}

/** The bytes of a pledge's nonce. */
export function nonceBytes(pledge: Pledge): Uint8Array<ArrayBuffer> {
  return fromHex(pledge.nonce);
}

/** What the check of a finished match found. */
export interface Verdict {
  /** Whether the revealed seed is the one committed to; undefined where the browser cannot hash. */
  seedMatches: boolean | undefined;
  /** Whose number stands for the own seat: this device's, none (it came too late), or another; undefined if unknown. */
  nonce: "included" | "missing" | "other" | undefined;
}

/** What is revealed at the end of a match. */
export interface Revealed {
  serverSeed: Uint8Array;
  nonces: readonly Uint8Array[];
}

/** Checks what was revealed against what was pledged; `commitment` stands in where this device saw no start. */
export async function checkShuffle(
  matchId: string,
  seat: number,
  revealed: Revealed,
  commitment: Uint8Array,
  pledge: Pledge | undefined,
): Promise<Verdict> {
  const computed = await commitmentTo(matchId, revealed.serverSeed);
  const nonce = revealed.nonces[seat];
  const isZero = nonce?.every((byte) => byte === 0);
  return {
    seedMatches: computed === undefined ? undefined : computed === (pledge?.commitment ?? toHex(commitment)),
    nonce: pledge && nonce && (pledge.nonce === toHex(nonce) ? "included" : isZero ? "missing" : "other"),
  };
}

/** SHA-256("mahjong-planet/commit/1" + match id + seed), hexadecimal; undefined where the browser cannot hash. */
export async function commitmentTo(matchId: string, serverSeed: Uint8Array): Promise<string | undefined> {
  const subtle = (globalThis.crypto as Partial<Crypto>).subtle;
  if (!subtle) return undefined;
  const head = new TextEncoder().encode(`mahjong-planet/commit/1${matchId}`);
  const bytes = new Uint8Array(head.length + serverSeed.length);
  bytes.set(head);
  bytes.set(serverSeed, head.length);
  return toHex(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

function forgetOldest(storage: PledgeStorage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
  const pledges = keys
    .filter((key) => key.startsWith(storagePrefix))
    .map((key) => JSON.parse(storage.getItem(key) ?? "{}") as Pledge)
    .sort((left, right) => right.madeAt - left.madeAt);
  for (const { matchId } of pledges.slice(kept - 1)) storage.removeItem(storagePrefix + matchId);
}
