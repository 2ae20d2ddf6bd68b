// Follows a ticket in the queue until it is decided.
import type { Client } from "@connectrpc/connect";
import { endless } from "../api/client";
import { keepWatching, type WatchParts } from "../api/watch";
import {
  TicketState,
  type MatchmakerService,
  type Ticket,
  type WatchTicketResponse,
} from "../gen/mahjongplanet/matchmaker/v1/matchmaker_service_pb";

/** What a ticket is followed with. */
export interface TicketParts extends Omit<WatchParts<WatchTicketResponse>, "open" | "onMessage"> {
  matchmaker: Client<typeof MatchmakerService>;
  onTicket: (ticket: Ticket) => void;
}

/**
 * Watches a ticket, again after every break, until it is matched, cancelled or expired, or the signal aborts.
 *
 * @throws The failure that no retry can help.
 */
export async function watchTicket(ticketId: string, parts: TicketParts, leaving: AbortSignal): Promise<void> {
  const open = (signal: AbortSignal): AsyncIterable<WatchTicketResponse> =>
    parts.matchmaker.watchTicket({ ticketId }, { ...endless, signal });
  const onMessage = ({ ticket }: WatchTicketResponse): boolean => {
    if (!ticket) return false;
    parts.onTicket(ticket);
    return isDecided(ticket);
  };
  await keepWatching({ ...parts, open, onMessage }, leaving);
}

/** Whether a ticket has left the queue. */
export function isDecided(ticket: Ticket): boolean {
  return ticket.state !== TicketState.QUEUED && ticket.state !== TicketState.UNSPECIFIED;
}
