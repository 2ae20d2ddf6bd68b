import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { authorize, servicesOver } from "../src/api/client";
import { SessionKeeper, SignedOutError, type Lock } from "../src/api/session";
import { AccountService, ProfileSchema, SessionSchema } from "../src/gen/mahjongplanet/account/v1/account_service_pb";
import { MemoryStorage, platformError } from "./fakes";

const lifeMs = 60_000;

/** An account service that rotates tokens; `keeper()` is another tab of the same browser. */
function makeBrowser() {
  const calls: string[] = [];
  let serial = 0;
  let now = 0;
  let failure: Error | undefined;
  let meanwhile = (): Promise<unknown> => Promise.resolve();
  const session = () => {
    serial += 1;
    return create(SessionSchema, {
      accessToken: `access-${serial}`,
      accessExpireTime: timestampFromMs(now + lifeMs),
      refreshToken: `refresh-${serial}`,
    });
  };
  let profile = create(ProfileSchema, { playerId: "p", displayName: "Ada", isGuest: true });
  const become = (displayName: string) =>
    (profile = create(ProfileSchema, { playerId: "p", displayName, isGuest: false }));
  const transport = createRouterTransport(({ service }) => {
    service(AccountService, {
      createGuest: ({ displayName }) => {
        calls.push(`createGuest ${displayName}`);
        return { profile, session: session() };
      },
      refreshSession: async ({ refreshToken }) => {
        calls.push(`refresh ${refreshToken}`);
        await meanwhile();
        if (failure) throw failure;
        return { profile, session: session() };
      },
      signIn: ({ loginName, deviceName }) => {
        calls.push(`signIn ${loginName} (${deviceName})`);
        return { profile, session: session() };
      },
      upgradeGuest: ({ loginName, displayName }) => {
        calls.push(`upgrade ${loginName}`);
        return { profile: become(displayName || profile.displayName) };
      },
      setMyDisplayName: ({ displayName }) => ({ profile: become(displayName) }),
      changePassword: async () => {
        await meanwhile();
        return { session: session() };
      },
      signOut: ({ refreshToken }) => {
        calls.push(`signOut ${refreshToken}`);
        return {};
      },
      signOutEverywhere: () => {
        calls.push("signOutEverywhere");
        return {};
      },
      deleteMyAccount: ({ password }) => {
        if (password !== "right") throw platformError(Code.PermissionDenied, "PASSWORD_WRONG");
        return {};
      },
    });
  });
  const storage = new MemoryStorage();
  let queue: Promise<unknown> = Promise.resolve();
  const lock: Lock = (_, run) => {
    const turn = queue.then(run, run);
    queue = turn.catch(() => undefined);
    return turn;
  };
  const accounts = createClient(AccountService, transport);
  return {
    calls,
    keeper: () => new SessionKeeper({ accounts, storage, lock, now: () => now, deviceName: "Firefox on Linux" }),
    wait: (ms: number) => (now += ms),
    fail: (error: Error) => (failure = error),
    /** Lets something happen while the server works on the next refresh or password, once. */
    during: (happening: () => Promise<unknown>) =>
      (meanwhile = () => {
        meanwhile = () => Promise.resolve();
        return happening();
      }),
  };
}

test("a guest is signed in under the trimmed name, and a reload finds the session", async () => {
  const browser = makeBrowser();
  await browser.keeper().signInAsGuest("  Ada ");
  expect(browser.calls).toEqual(["createGuest Ada"]);
  expect(browser.keeper().current).toMatchObject({ playerId: "p", displayName: "Ada", accessToken: "access-1" });
});

test("a good token is used as it is", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("");
  expect(await keeper.accessToken()).toBe("access-1");
});

test("many callers at once cause one refresh", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("");
  browser.wait(lifeMs);
  const tokens = await Promise.all([keeper.accessToken(), keeper.accessToken(), keeper.accessToken()]);
  expect(tokens).toEqual(["access-2", "access-2", "access-2"]);
  expect(browser.calls.filter((call) => call.startsWith("refresh"))).toEqual(["refresh refresh-1"]);
});

test("a second tab takes over the token that the first one has refreshed", async () => {
  const browser = makeBrowser();
  const [first, second] = [browser.keeper(), browser.keeper()];
  await first.signInAsGuest("");
  browser.wait(lifeMs);
  expect(await Promise.all([first.accessToken(), second.accessToken()])).toEqual(["access-2", "access-2"]);
  expect(browser.calls.filter((call) => call.startsWith("refresh"))).toHaveLength(1);
});

test("a token that the server refused is replaced though its time is not over", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("");
  expect(await keeper.accessToken("access-1")).toBe("access-2");
});

test("an ended session signs the device out", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("");
  browser.wait(lifeMs);
  browser.fail(platformError(Code.Unauthenticated, "REFRESH_TOKEN_INVALID"));
  await expect(keeper.accessToken()).rejects.toThrow(SignedOutError);
  expect(keeper.current).toBeUndefined();
});

test("a failure that tells nothing of the session keeps it", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("");
  browser.wait(lifeMs);
  browser.fail(platformError(Code.InvalidArgument, "INVALID_FIELD"));
  await expect(keeper.accessToken()).rejects.toThrow();
  expect(keeper.current?.refreshToken).toBe("refresh-1");
});

test("signing out forgets the session at once and ends it at the server", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("");
  const seen: unknown[] = [];
  keeper.subscribe((signedIn) => seen.push(signedIn));
  await keeper.signOut();
  expect(seen).toEqual([undefined]);
  expect(browser.calls.at(-1)).toBe("signOut refresh-1");
  await expect(keeper.accessToken()).rejects.toThrow(SignedOutError);
});

test("an account is signed in by its login name, under the name of the device", async () => {
  const browser = makeBrowser();
  await browser.keeper().signIn(" ada ", "secret");
  expect(browser.calls).toEqual(["signIn ada (Firefox on Linux)"]);
  expect(browser.keeper().current?.refreshToken).toBe("refresh-1");
});

test("a guest who becomes an account is shown so in every tab and gets a token that says so", async () => {
  const browser = makeBrowser();
  const [keeper, other] = [browser.keeper(), browser.keeper()];
  await keeper.signInAsGuest("Ada");
  await keeper.upgradeGuest({ loginName: " ada ", password: "secret", displayName: " Ada L. " });
  expect(browser.calls).toEqual(["createGuest Ada", "upgrade ada", "refresh refresh-1"]);
  expect(other.current).toMatchObject({ displayName: "Ada L.", isGuest: false, refreshToken: "refresh-2" });
});

test("a new name is shown though the token that carries it cannot be had now", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signInAsGuest("Ada");
  browser.fail(platformError(Code.InvalidArgument, "INVALID_FIELD"));
  await keeper.rename("Grace");
  expect(keeper.current).toMatchObject({ displayName: "Grace", accessToken: "access-1" });
});

test("a name changed while another tab refreshes the session is not lost", async () => {
  const browser = makeBrowser();
  const [first, second] = [browser.keeper(), browser.keeper()];
  await first.signInAsGuest("Ada");
  let renamed: Promise<void> | undefined;
  browser.during(() => {
    renamed = second.rename("Grace");
    return Promise.resolve();
  });
  await first.accessToken("access-1");
  await renamed;
  expect(first.current?.displayName).toBe("Grace");
});

test("a new password begins a new session here", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signIn("ada", "old");
  await keeper.changePassword("old", "new");
  expect(keeper.current).toMatchObject({ displayName: "Ada", refreshToken: "refresh-2", accessToken: "access-2" });
});

test("a refresh that a new password overtakes uses the new session and does not sign out", async () => {
  const browser = makeBrowser();
  const [first, second] = [browser.keeper(), browser.keeper()];
  await first.signIn("ada", "old");
  browser.during(() => second.changePassword("old", "new"));
  browser.fail(platformError(Code.Unauthenticated, "REFRESH_TOKEN_INVALID"));
  expect(await first.accessToken("access-1")).toBe("access-2");
  expect(first.current?.refreshToken).toBe("refresh-2");
});

test("a refresh during which the player signs out hands out no token", async () => {
  const browser = makeBrowser();
  const [first, second] = [browser.keeper(), browser.keeper()];
  await first.signInAsGuest("Ada");
  browser.during(() => second.signOut());
  await expect(first.accessToken("access-1")).rejects.toThrow(SignedOutError);
  expect(first.current).toBeUndefined();
});

test("signing out everywhere signs this device out too", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signIn("ada", "secret");
  await keeper.signOutEverywhere();
  expect(browser.calls.at(-1)).toBe("signOutEverywhere");
  expect(keeper.current).toBeUndefined();
});

test("an account is deleted by its password only, which signs out", async () => {
  const browser = makeBrowser();
  const keeper = browser.keeper();
  await keeper.signIn("ada", "right");
  await expect(keeper.deleteAccount("wrong")).rejects.toThrow();
  expect(keeper.current).toBeDefined();
  await keeper.deleteAccount("right");
  expect(keeper.current).toBeUndefined();
});

test("calls of players carry a token, refreshed once if it is refused; public calls carry none", async () => {
  const seen: (string | null)[] = [];
  const transport = createRouterTransport(
    ({ service }) => {
      service(AccountService, {
        createGuest: (_, { requestHeader }) => {
          seen.push(requestHeader.get("authorization"));
          return {};
        },
        getMyAccount: (_, { requestHeader }) => {
          seen.push(requestHeader.get("authorization"));
          if (seen.length < 3) throw platformError(Code.Unauthenticated, "SESSION_EXPIRED");
          return {};
        },
      });
    },
    { transport: { interceptors: [authorize((spent) => Promise.resolve(spent === undefined ? "old" : "new"))] } },
  );
  const { accounts } = servicesOver(transport);
  await accounts.createGuest({});
  await accounts.getMyAccount({});
  expect(seen).toEqual([null, "Bearer old", "Bearer new"]);
});
