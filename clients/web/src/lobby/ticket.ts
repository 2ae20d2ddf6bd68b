// Follows a ticket in the queue until it is decided.
import type { Client } from "@connectrpc/connect";
import { endless, isTokenRefused } from "../api/client";
import { isTransient } from "../api/errors";
import { backoffMs, pause } from "../api/retry";
import {
  TicketState,
  type MatchmakerService,
  type Ticket,
} from "../gen/mahjongplanet/matchmaker/v1/matchmaker_service_pb";

/** What a ticket is followed with. */
export interface TicketParts {
  matchmaker: Client<typeof MatchmakerService>;
  renewToken: () => Promise<unknown>;
  onTicket: (ticket: Ticket) => void;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Watches a ticket, again after every break, until it is matched, cancelled or expired, or the signal aborts.
 *
 * @throws The failure that no retry can help.
 */
export async function watchTicket(ticketId: string, parts: TicketParts, signal: AbortSignal): Promise<void> {
  for (let retry = 0; !signal.aborted; retry++) {
    try {
      for await (const { ticket } of parts.matchmaker.watchTicket({ ticketId }, { ...endless, signal })) {
        if (!ticket) continue;
        retry = 0;
        parts.onTicket(ticket);
        if (isDecided(ticket)) return;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (isTokenRefused(error)) await parts.renewToken();
      else if (!isTransient(error)) throw error;
    }
    await (parts.wait ?? pause)(backoffMs(retry), signal);
  }
}

/** Whether a ticket has left the queue. */
export function isDecided(ticket: Ticket): boolean {
  return ticket.state !== TicketState.QUEUED && ticket.state !== TicketState.UNSPECIFIED;
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
