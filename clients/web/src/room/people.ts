// Who is in a room, and what has changed there, in words.
import type { Room, RoomPlayer } from "../gen/mahjongplanet/matchmaker/v1/room_service_pb";
import { text } from "../strings";

/** The people of a room, by seat. */
export function peopleOf(room: Room | undefined): RoomPlayer[] {
  return (room?.seats ?? []).flatMap(({ occupant }) => (occupant.case === "player" ? [occupant.value] : []));
}

/** How many seats nobody has. */
export function openSeatsOf(room: Room): number {
  return room.seats.filter(({ occupant }) => occupant.case === undefined).length;
}

/** The names of the others who are not ready. */
export function waitedFor(room: Room, ownId: string): string[] {
  return peopleOf(room)
    .filter(({ playerId, ready }) => !ready && playerId !== ownId)
    .map(({ displayName }) => displayName);
}

/** The names of those of these people who are in the room. */
export function namesOf(room: Room | undefined, playerIds: readonly string[]): string[] {
  return peopleOf(room)
    .filter(({ playerId }) => playerIds.includes(playerId))
    .map(({ displayName }) => displayName);
}

/** What others have done from one state of a room to the next. */
export function changesOf(before: Room, after: Room, ownId: string): string[] {
  const known = new Map(peopleOf(before).map((person) => [person.playerId, person]));
  const there = new Map(peopleOf(after).map((person) => [person.playerId, person]));
  const changes: string[] = [];
  for (const person of there.values()) {
    const earlier = known.get(person.playerId);
    if (person.playerId === ownId) continue;
    if (!earlier) changes.push(text.room.joined(person.displayName));
    else if (person.ready && !earlier.ready) changes.push(text.room.isReady(person.displayName));
  }
  for (const person of known.values()) {
    if (!there.has(person.playerId)) changes.push(text.room.left(person.displayName));
  }
  if (after.hostPlayerId !== before.hostPlayerId) {
    const isOwn = after.hostPlayerId === ownId;
    changes.push(isOwn ? text.room.youHost : text.room.hosts(there.get(after.hostPlayerId)?.displayName ?? ""));
  }
  if (JSON.stringify(termsOf(after)) !== JSON.stringify(termsOf(before))) changes.push(text.room.termsChanged);
  return changes;
}

function termsOf({ settings }: Room): unknown[] {
  return settings ? [settings.ruleSet, settings.clock, settings.length, settings.public, settings.seatsByLot] : [];
}
