// Reads a match and its records from the replay service.
import type { Client } from "@connectrpc/connect";
import { reasonOf } from "../api/errors";
import { fromHex } from "../api/random";
import { backoffMs, pause, retrying } from "../api/retry";
import type { Revealed } from "../game/fairness";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import type { HandSummary, MatchSummary, ReplayService } from "../gen/mahjongplanet/replay/v1/replay_service_pb";

type Replays = Client<typeof ReplayService>;

/** A match and its hands so far. */
export interface LoadedMatch {
  match: MatchSummary;
  hands: HandSummary[];
}

/**
 * Reads a match.
 *
 * @param untilOver Whether the match has just ended: its report may still be on its way, so wait for it (about 20 s).
 */
export async function loadMatch(
  replays: Replays,
  matchId: string,
  untilOver: boolean,
  signal: AbortSignal,
): Promise<LoadedMatch> {
  for (let retry = 0; ; retry++) {
    const mayWait = untilOver && retry < 9 && !signal.aborted;
    try {
      const { match, hands } = await retrying(() => replays.getMatch({ matchId }, { signal }), { signal });
      if (match && (match.standings.length > 0 || !mayWait)) return { match, hands };
    } catch (error) {
      if (!mayWait || reasonOf(error) !== ErrorReason.MATCH_NOT_FOUND) throw error;
    }
    await pause(backoffMs(Math.min(retry, 4)), signal);
  }
}

/** The record of one hand, as the bytes that the server keeps. */
export async function loadRecord(
  replays: Replays,
  matchId: string,
  handNumber: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { recordJson } = await retrying(() => replays.getHandRecord({ matchId, handNumber }));
  return new Uint8Array(recordJson);
}

/** What a record says of the shuffle. */
export interface ShuffleOfRecord {
  commitment: Uint8Array;
  revealed: Revealed;
}

/** Reads the shuffle's part of a record; undefined if the record carries none. */
export function shuffleOf(record: Uint8Array): ShuffleOfRecord | undefined {
  const fields = JSON.parse(new TextDecoder().decode(record)) as {
    commitment?: string;
    server_seed?: string;
    nonces?: string[];
  };
  if (!fields.commitment || !fields.server_seed || !fields.nonces) return undefined;
  return {
    commitment: fromHex(fields.commitment),
    revealed: { serverSeed: fromHex(fields.server_seed), nonces: fields.nonces.map(fromHex) },
  };
}

/** Hands bytes to the browser as a file to keep. */
export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
}
