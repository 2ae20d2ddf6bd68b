// The small pure parts: clocks, choices, tiles, texts, backoff, fairness.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ServerClock } from "../src/api/clock";
import { deviceNameOf } from "../src/api/device";
import { isTransient, textOfError } from "../src/api/errors";
import { fromHex, newUuid, toHex } from "../src/api/random";
import { backoffMs, retrying } from "../src/api/retry";
import { choicesOf } from "../src/game/choices";
import { clockOf } from "../src/game/clocks";
import { checkShuffle, nonceBytes, pledgeFor, pledgeOf } from "../src/game/fairness";
import { ErrorReason } from "../src/gen/mahjongplanet/errors/v1/error_reason_pb";
import { ActionKind, MeldKind, type ActionSchema } from "../src/gen/mahjongplanet/game/v1/terms_pb";
import { DecisionSchema } from "../src/gen/mahjongplanet/table/v1/event_pb";
import { hashOf, routeOf } from "../src/page.svelte";
import { text } from "../src/strings";
import { problems as accountProblems } from "../src/texts/account";
import { sortTiles, tileCodes, withoutTiles } from "../src/tiles/codes";
import { faceOf } from "../src/tiles/faces";
import { MemoryStorage, platformError } from "./fakes";

describe("clocks", () => {
  test("the base runs first, then the reserve", () => {
    expect(clockOf(20_000, 105_000, 125_000, 101_500)).toEqual({ baseSeconds: 4, reserveSeconds: 20 });
    expect(clockOf(20_000, 105_000, 125_000, 112_000)).toEqual({ baseSeconds: 0, reserveSeconds: 13 });
    expect(clockOf(20_000, 105_000, 125_000, 130_000)).toEqual({ baseSeconds: 0, reserveSeconds: 0 });
  });

  test("a clock that does not run shows its reserve", () => {
    expect(clockOf(7_500, undefined, undefined, 0)).toEqual({ baseSeconds: 0, reserveSeconds: 8 });
  });

  test("the server's time comes from the message that was fastest on its way", () => {
    let device = 500;
    const clock = new ServerClock(() => device);
    clock.observe(10_400); // 100 ms on its way: the server's clock says 10,500 now
    device = 600;
    clock.observe(10_590); // 10 ms on its way
    device = 700;
    clock.observe(10_300); // 400 ms on its way
    expect(clock.now()).toBe(10_690);
  });
});

describe("choices", () => {
  const decision = (...options: MessageInitShape<typeof ActionSchema>[]) => create(DecisionSchema, { options });

  test("discards lie on the tiles, with and without Original Call", () => {
    const choices = choicesOf(
      decision(
        { kind: ActionKind.DISCARD, tile: "E" },
        { kind: ActionKind.DISCARD, tile: "9d" },
        { kind: ActionKind.DISCARD, tile: "9d", originalCall: true },
      ),
      "",
    );
    expect([...choices.discards.keys()]).toEqual(["E", "9d"]);
    expect([...choices.calls.keys()]).toEqual(["9d"]);
    expect(choices.buttons).toEqual([]);
  });

  test("claims are buttons with keys, the most valuable first; several chows take digits", () => {
    const { buttons } = choicesOf(
      decision(
        { kind: ActionKind.PASS },
        { kind: ActionKind.CHOW, tiles: ["4b", "6b"] },
        { kind: ActionKind.CHOW, tiles: ["6b", "7b"] },
        { kind: ActionKind.PUNG },
        { kind: ActionKind.WIN },
      ),
      "5b",
    );
    expect(buttons.map(({ key }) => key)).toEqual(["w", "p", "1", "2", "n"]);
    expect(buttons.map(({ tiles }) => tiles.join(" "))).toEqual(["5b", "5b 5b 5b", "4b 5b 6b", "5b 6b 7b", ""]);
  });

  test("a kong names its tile, or takes the open one", () => {
    const { buttons } = choicesOf(
      decision(
        { kind: ActionKind.KONG, kongKind: MeldKind.CLAIMED_KONG, tile: "R" },
        { kind: ActionKind.KONG, kongKind: MeldKind.CONCEALED_KONG, tile: "1c" },
      ),
      "R",
    );
    expect(buttons.map(({ tiles }) => tiles[0])).toEqual(["R", "1c"]);
    expect(new Set(buttons.map(({ key }) => key)).size).toBe(2);
  });

  test("every kind of action but a discard has a button", () => {
    const kinds = Object.values(ActionKind).filter((kind): kind is ActionKind => typeof kind === "number");
    const shown = kinds.filter((kind) => choicesOf(decision({ kind }), "").buttons.length === 1);
    expect(kinds.filter((kind) => !shown.includes(kind))).toEqual([ActionKind.UNSPECIFIED, ActionKind.DISCARD]);
  });

  test("without a decision nothing can be chosen", () => {
    const { buttons, discards } = choicesOf(undefined, "5b");
    expect([buttons.length, discards.size]).toEqual([0, 0]);
  });
});

describe("tiles", () => {
  test("sort in the order of the notation", () => {
    expect(sortTiles(["s1", "P", "E", "1d", "9c", "1b", "f4"])).toEqual(["1b", "9c", "1d", "E", "P", "f4", "s1"]);
  });

  test("each is taken once", () => {
    expect(withoutTiles(["1b", "1b", "1b", "2b"], ["1b", "1b", "9d"])).toEqual(["1b", "2b"]);
  });

  test("all 42 have a face of their own, a name and an index", () => {
    const faces = tileCodes.map((code) => JSON.stringify(faceOf(code)));
    expect(new Set(faces).size).toBe(42);
    expect(new Set(tileCodes.map(text.tileName)).size).toBe(42);
    expect(tileCodes.every((code) => faceOf(code).index.length === 1)).toBe(true);
    expect(faces.join("")).not.toContain("null"); // what NaN would become
  });
});

describe("errors", () => {
  test("every reason that the platform can send has a text", () => {
    const silent = new Set(["UNSPECIFIED", "INTERNAL", "MALFORMED_MESSAGE", "MALFORMED_TILE", "METHOD_NOT_FOUND"]);
    const reasons = Object.keys(ErrorReason).filter((name) => Number.isNaN(Number(name)) && !silent.has(name));
    const inner = [
      "PAGE_SIZE_OUT_OF_RANGE",
      "MALFORMED_PAGE_TOKEN",
      "MESSAGE_TOO_LARGE",
      "MATCH_ID_REUSED",
      "REPORT_CONFLICT",
      "SIGNING_KEY_FROM_SETTINGS",
      "LOGIN_NAME_NOT_FOUND",
    ];
    expect(reasons.filter((name) => !(name in text.errors) && !inner.includes(name))).toEqual([]);
  });

  test("the reason is told, never the server's text", () => {
    expect(textOfError(platformError(Code.FailedPrecondition, "NOT_A_WIN"))).toBe(text.errors.NOT_A_WIN);
    expect(textOfError(platformError(Code.Internal, "INTERNAL", { request_id: "r-1" }))).toContain("r-1");
    expect(textOfError(new ConnectError("secret", Code.PermissionDenied))).not.toContain("secret");
  });

  test("a refused name or password is told by what is wrong with it", () => {
    for (const [reason, problems] of Object.entries(accountProblems)) {
      for (const [problem, message] of Object.entries(problems)) {
        const error = platformError(Code.InvalidArgument, reason as keyof typeof ErrorReason, { problem });
        expect(textOfError(error)).toBe(message);
      }
    }
    const unknown = platformError(Code.InvalidArgument, "DISPLAY_NAME_REFUSED", { problem: "of a later release" });
    expect(textOfError(unknown)).toBe(text.errors.DISPLAY_NAME_REFUSED);
  });

  test("lost connections and UNAVAILABLE may be tried again, refusals not", () => {
    expect(isTransient(new TypeError("Failed to fetch"))).toBe(true);
    expect(isTransient(platformError(Code.Unavailable, "STORE_UNREACHABLE"))).toBe(true);
    expect(isTransient(platformError(Code.ResourceExhausted, "TABLE_BUSY"))).toBe(true);
    expect(isTransient(platformError(Code.Aborted, "DECISION_CLOSED"))).toBe(false);
    expect(isTransient(platformError(Code.Internal, "INTERNAL"))).toBe(false);
  });
});

describe("retries", () => {
  test("wait between half and the whole of a doubling time, capped", () => {
    expect([0, 1, 2, 20].map((retry) => backoffMs(retry, () => 0))).toEqual([125, 250, 500, 4_000]);
    expect(backoffMs(20, () => 0.999)).toBeLessThanOrEqual(8_000);
  });

  test("stop at the first answer or refusal, and after the last try", async () => {
    const wait = () => Promise.resolve();
    let calls = 0;
    const failing = (last: Error) => () => {
      calls += 1;
      return Promise.reject(calls < 3 ? platformError(Code.Unavailable, "DRAINING") : last);
    };
    const refusal = platformError(Code.FailedPrecondition, "ILLEGAL_ACTION");
    await expect(retrying(failing(refusal), { wait })).rejects.toBe(refusal);
    expect(calls).toBe(3);
    calls = 0;
    await expect(retrying(failing(refusal), { wait, tries: 2 })).rejects.toThrow();
    expect(calls).toBe(2);
  });

  test("keep nobody waiting who is told to come back in minutes", async () => {
    const error = platformError(Code.ResourceExhausted, "COOLING_DOWN", {}, 120);
    let calls = 0;
    const call = () => {
      calls += 1;
      return Promise.reject(error);
    };
    await expect(retrying(call, { wait: () => Promise.resolve() })).rejects.toBe(error);
    expect(calls).toBe(1);
  });
});

describe("the fair shuffle", () => {
  const matchId = "0d0c6b7e-0000-4000-8000-000000000001";
  const serverSeed = Uint8Array.from({ length: 80 }, (_, index) => index);
  const commitment = new Uint8Array(
    createHash("sha256").update(`mahjong-planet/commit/1${matchId}`).update(serverSeed).digest(),
  );
  const zeros = new Uint8Array(32);

  test("a pledge survives a reload and keeps what was seen first", () => {
    const storage = new MemoryStorage();
    const pledge = pledgeFor(matchId, commitment, storage, 1);
    expect(nonceBytes(pledge)).toHaveLength(32);
    expect(pledgeFor(matchId, zeros, storage, 2)).toEqual(pledge);
  });

  test("only the newest pledges are kept", () => {
    const storage = new MemoryStorage();
    for (let match = 0; match < 25; match++) pledgeFor(`m${match}`, commitment, storage, match);
    expect(storage.length).toBe(20);
    expect([pledgeOf("m4", storage), pledgeOf("m24", storage)?.matchId]).toEqual([undefined, "m24"]);
  });

  test("an honest match checks out", async () => {
    const pledge = pledgeFor(matchId, commitment, new MemoryStorage(), 1);
    const revealed = { serverSeed, nonces: [zeros, nonceBytes(pledge), zeros, zeros] };
    expect(await checkShuffle(matchId, 1, revealed, commitment, pledge)).toEqual({
      seedMatches: true,
      nonce: "included",
    });
    expect((await checkShuffle(matchId, 0, revealed, commitment, pledge)).nonce).toBe("missing");
  });

  test("another seed, or a commitment changed later, is found out", async () => {
    const pledge = pledgeFor(matchId, commitment, new MemoryStorage(), 1);
    const other = { serverSeed: serverSeed.toReversed(), nonces: [zeros, zeros, zeros, zeros] };
    expect((await checkShuffle(matchId, 1, other, commitment, pledge)).seedMatches).toBe(false);
    const forged = new Uint8Array(
      createHash("sha256").update(`mahjong-planet/commit/1${matchId}`).update(other.serverSeed).digest(),
    );
    expect((await checkShuffle(matchId, 1, other, forged, pledge)).seedMatches).toBe(false);
  });
});

describe("addresses and ids", () => {
  test("a route survives the way through the address", () => {
    for (const route of [
      { view: "lobby" },
      { view: "table", tableId: "a-b" },
      { view: "match", matchId: "c" },
      { view: "create" },
      { view: "room" },
      { view: "invite", by: "code", invite: "7KQ2M9XD" },
      { view: "invite", by: "linkToken", invite: "a-b_c" },
      { view: "account" },
      { view: "ratings" },
      { view: "friends" },
      { view: "replay", matchId: "c", handNumber: 12 },
      { view: "player", playerId: "d" },
    ] as const) {
      expect(routeOf(hashOf(route))).toEqual(route);
    }
    expect(routeOf("#/nonsense/1")).toEqual({ view: "lobby" });
  });

  test("a device is named by its browser and system", () => {
    const linux = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    const android = "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/143.0.0.0 Mobile Safari/537.36";
    const edge = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/143.0 Safari/537.36 Edg/143.0";
    const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1";
    expect([linux, android, edge, phone, "curl"].map(deviceNameOf)).toEqual([
      "Firefox on Linux",
      "Chrome on Android",
      "Edge on Windows",
      "Safari on iPhone",
      "",
    ]);
  });

  test("ids are UUIDs of version 4, hexadecimal comes back as bytes", () => {
    expect(newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(fromHex(toHex(Uint8Array.of(0, 15, 255)))).toEqual(Uint8Array.of(0, 15, 255));
  });
});
