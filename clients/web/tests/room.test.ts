import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { servicesOver } from "../src/api/client";
import { Clock, ComputerLevel, MatchLength, RuleSet } from "../src/gen/mahjongplanet/game/v1/terms_pb";
import { RoomSchema, RoomService, RoomState, type Room } from "../src/gen/mahjongplanet/matchmaker/v1/room_service_pb";
import type { Page, Route } from "../src/page.svelte";
import { changesOf, namesOf, openSeatsOf, waitedFor } from "../src/room/people";
import { RoomSession } from "../src/room/session.svelte";
import { linkTo, spacedCode, termsText } from "../src/room/terms";
import { text } from "../src/strings";
import { platformError } from "./fakes";

vi.setConfig({ testTimeout: 30_000 });
const soon = { timeout: 20_000 };

const settings = {
  ruleSet: RuleSet.TAIWANESE,
  clock: Clock.RELAXED,
  length: MatchLength.EAST_ROUND,
  public: false,
  seatsByLot: false,
};

/** A seat of somebody. */
function person(playerId: string, displayName: string, ready = false) {
  return { occupant: { case: "player", value: { playerId, displayName, ready, connected: true } } } as const;
}

/** A room of Ada, who hosts, and Grace, with a computer and an open seat. */
function roomOf(changes: Exclude<MessageInitShape<typeof RoomSchema>, Room> = {}): Room {
  return create(RoomSchema, {
    roomId: "r",
    version: 1n,
    state: RoomState.OPEN,
    settings,
    seats: [
      person("a", "Ada", true),
      person("g", "Grace"),
      { occupant: { case: "computer", value: ComputerLevel.STRONG } },
      {},
    ],
    hostPlayerId: "a",
    ...changes,
  });
}

const playing = { version: 2n, state: RoomState.PLAYING, tableId: "t", matchId: "m", matchCount: 1 };

/** Grace's page at a server; `went` are the views that it was sent to. */
function sessionAt(server: Partial<ServiceImpl<typeof RoomService>>) {
  const transport = createRouterTransport(({ service }) => {
    service(RoomService, server);
  });
  const went: Route[] = [];
  const page = {
    services: { ...servicesOver(transport), rooms: createClient(RoomService, transport) },
    session: { accessToken: () => Promise.resolve(""), current: undefined },
    signedIn: { playerId: "g" },
    go: (route: Route) => went.push(route),
  };
  return { session: new RoomSession(page as unknown as Page), went };
}

/** A stream that sends rooms, then stays open or fails. */
async function* sending(rooms: Room[], signal: AbortSignal, then?: Error) {
  for (const room of rooms) yield { room };
  if (then) throw then;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
}

beforeEach(() => {
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a reload finds the room, watches it, and goes to the table when the match starts", async () => {
  const { session, went } = sessionAt({
    getMyRoom: () => ({ room: roomOf() }),
    watchRoom: (_, { signal }) => sending([roomOf(), roomOf(playing), roomOf(playing)], signal),
  });
  const stop = session.follow();
  await expect.poll(() => session.room?.state, soon).toBe(RoomState.PLAYING);
  expect(went).toEqual([{ view: "table", tableId: "t" }]);
  stop();
});

test("the lobby does not send anybody to a match that was going on before", async () => {
  const { session, went } = sessionAt({
    getMyRoom: () => ({ room: roomOf(playing) }),
    watchRoom: (_, { signal }) => sending([roomOf(playing)], signal),
  });
  const stop = session.follow();
  await expect.poll(() => session.connection, soon).toBe("live");
  expect(went).toEqual([]);
  stop();
});

test("a broken stream is opened again, and an older state that comes late is not shown", async () => {
  let connections = 0;
  const { session } = sessionAt({
    getMyRoom: () => ({ room: roomOf() }),
    watchRoom: (_, { signal }) =>
      connections++ === 0
        ? sending([roomOf({ version: 5n })], signal, platformError(Code.Unavailable, "DRAINING"))
        : sending([roomOf({ version: 4n }), roomOf({ version: 6n, hostPlayerId: "g" })], signal),
  });
  const versions: bigint[] = [];
  const stop = session.follow();
  await expect.poll(() => versions.push(session.room?.version ?? 0n) && session.isHost, soon).toBe(true);
  expect(versions).not.toContain(4n);
  expect(session.announcement).toBe(text.room.youHost);
  stop();
});

test("who was removed is told so; who is in no room is told nothing", async () => {
  const removed = sessionAt({
    getMyRoom: () => ({ room: roomOf() }),
    watchRoom: (_, { signal }) => sending([], signal, platformError(Code.PermissionDenied, "NOT_IN_ROOM")),
  }).session;
  const stops = [removed.follow()];
  await expect.poll(() => removed.connection, soon).toBe("ended");
  expect([removed.room, removed.notice]).toEqual([undefined, text.room.removed]);

  const homeless = sessionAt({
    getMyRoom: () => {
      throw platformError(Code.NotFound, "ROOM_NOT_FOUND");
    },
  }).session;
  stops.push(homeless.follow());
  await expect.poll(() => homeless.connection, soon).toBe("ended");
  expect([homeless.room, homeless.notice]).toEqual([undefined, undefined]);
  for (const stop of stops) stop();
});

test("a lost start is sent again under its request id, the next one under another", async () => {
  const ids: string[] = [];
  let room = roomOf(playing);
  const { session } = sessionAt({
    joinRoom: () => ({ room: roomOf() }),
    startRoom: ({ requestId }) => {
      ids.push(requestId);
      if (ids.length === 1) throw platformError(Code.Unavailable, "SERVICE_UNREACHABLE");
      return { room };
    },
  });
  await session.join({ case: "code", value: "x" });
  expect(await session.start(ComputerLevel.BASIC)).toBe(true);
  room = roomOf({ ...playing, version: 4n, matchId: "m2" });
  await session.start(ComputerLevel.BASIC);
  expect(ids).toHaveLength(3);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[1]);
});

test("refusals are told by their reason, with the names of the people", async () => {
  const refusals = [
    platformError(Code.FailedPrecondition, "PLAYERS_NOT_READY", { player_ids: "a,g" }),
    platformError(Code.FailedPrecondition, "PLAYER_BUSY", { player_ids: "g" }),
    platformError(Code.FailedPrecondition, "SEATS_OPEN", { open_seats: "3" }),
  ];
  const { session } = sessionAt({
    joinRoom: () => ({ room: roomOf() }),
    startRoom: () => {
      throw refusals.shift() ?? new Error("one call too many");
    },
  });
  await session.join({ case: "code", value: "x" });
  const told: (string | undefined)[] = [];
  for (let call = 0; call < 3; call++) {
    expect(await session.start(ComputerLevel.UNSPECIFIED)).toBe(false);
    told.push(session.notice);
  }
  expect(told).toEqual([text.room.notReady("Ada and Grace"), text.room.busy("Grace"), text.errors.SEATS_OPEN]);
  session.seenFrom("room");
  expect(session.notice).toBeUndefined();
});

test("who leaves is not told to have been removed", async () => {
  const { session } = sessionAt({
    getMyRoom: () => ({ room: roomOf() }),
    watchRoom: (_, { signal }) => sending([roomOf()], signal),
    leaveRoom: () => ({}),
  });
  const stop = session.follow();
  await expect.poll(() => session.connection, soon).toBe("live");
  expect(await session.leave()).toBe(true);
  expect([session.room, session.notice]).toEqual([undefined, undefined]);
  stop();
});

test("what others change is put into words, what oneself does is not", () => {
  const before = roomOf();
  const after = roomOf({
    seats: [person("g", "Grace", true), {}, {}, person("n", "Alan")],
    hostPlayerId: "n",
    settings: { ...settings, clock: Clock.UNTIMED },
  });
  const { room } = text;
  expect(changesOf(before, after, "g")).toEqual([
    room.joined("Alan"),
    room.left("Ada"),
    room.hosts("Alan"),
    room.termsChanged,
  ]);
  expect(changesOf(before, roomOf({ seats: [person("a", "Ada"), person("g", "Grace", true)] }), "a")).toEqual([
    room.isReady("Grace"),
  ]);
});

test("the seats of a room are counted and its people named", () => {
  const room = roomOf();
  expect(openSeatsOf(room)).toBe(1);
  expect(waitedFor(room, "a")).toEqual(["Grace"]);
  expect(waitedFor(room, "g")).toEqual([]);
  expect(namesOf(room, ["g", "stranger"])).toEqual(["Grace"]);
  expect(namesOf(undefined, ["g"])).toEqual([]);
});

test("terms, codes and links are written as people read them", () => {
  expect(termsText(settings)).toBe("Taiwanese · East round · Relaxed clock");
  expect(termsText({ ...settings, clock: Clock.UNTIMED })).toContain("Untimed");
  expect(spacedCode("7KQ2M9XD")).toBe("7KQ2 M9XD");
  expect(linkTo("a-b_c", { origin: "https://play.example", pathname: "/" })).toBe("https://play.example/#/room/a-b_c");
});
