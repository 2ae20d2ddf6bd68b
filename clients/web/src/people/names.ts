// Names of players by their ids.
import type { Client } from "@connectrpc/connect";
import { retrying } from "../api/retry";
import type { AccountService } from "../gen/mahjongplanet/account/v1/account_service_pb";

/** Ids that one call may ask for. */
const batchSize = 100;

/**
 * Reads the names that are not known yet.
 *
 * @param known Names that were read before; they are in the answer too.
 */
export async function namesOf(
  accounts: Client<typeof AccountService>,
  playerIds: readonly string[],
  known: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const names = new Map(known);
  const missing = [...new Set(playerIds)].filter((id) => id !== "" && !names.has(id));
  for (let start = 0; start < missing.length; start += batchSize) {
    const request = { playerIds: missing.slice(start, start + batchSize) };
    const { profiles } = await retrying(() => accounts.batchGetProfiles(request));
    for (const { playerId, displayName } of profiles) names.set(playerId, displayName);
  }
  return names;
}
