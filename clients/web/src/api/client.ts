// Every service, through the gateway that served this page.
import { getOption } from "@bufbuild/protobuf";
import { createClient, type Client, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AccountService } from "../gen/mahjongplanet/account/v1/account_service_pb";
import { FriendService } from "../gen/mahjongplanet/account/v1/friend_service_pb";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import { GatewayService } from "../gen/mahjongplanet/gateway/v1/gateway_service_pb";
import { MatchmakerService } from "../gen/mahjongplanet/matchmaker/v1/matchmaker_service_pb";
import { RoomService } from "../gen/mahjongplanet/matchmaker/v1/room_service_pb";
import { caller, Caller } from "../gen/mahjongplanet/options/v1/options_pb";
import { RatingService } from "../gen/mahjongplanet/rating/v1/rating_service_pb";
import { ReplayService } from "../gen/mahjongplanet/replay/v1/replay_service_pb";
import { TableService } from "../gen/mahjongplanet/table/v1/table_service_pb";
import { reasonOf } from "./errors";

/** Hands out access tokens; see `SessionKeeper.accessToken`. */
export type TokenSource = (spent?: string) => Promise<string>;

/** The services that a player may call. */
export interface Services {
  gateway: Client<typeof GatewayService>;
  accounts: Client<typeof AccountService>;
  friends: Client<typeof FriendService>;
  matchmaker: Client<typeof MatchmakerService>;
  rooms: Client<typeof RoomService>;
  tables: Client<typeof TableService>;
  ratings: Client<typeof RatingService>;
  replays: Client<typeof ReplayService>;
}

/** Clients of all services over one transport. */
export function servicesOver(transport: Transport): Services {
  return {
    gateway: createClient(GatewayService, transport),
    accounts: createClient(AccountService, transport),
    friends: createClient(FriendService, transport),
    matchmaker: createClient(MatchmakerService, transport),
    rooms: createClient(RoomService, transport),
    tables: createClient(TableService, transport),
    ratings: createClient(RatingService, transport),
    replays: createClient(ReplayService, transport),
  };
}

/** Options of a streaming call: no deadline. */
export const endless = { timeoutMs: 0 };

/** Connect over the browser's fetch, binary; ten seconds for each call that is not `endless`. */
export function browserTransport(baseUrl: string, token: TokenSource): Transport {
  return createConnectTransport({
    baseUrl,
    useBinaryFormat: true,
    defaultTimeoutMs: 10_000,
    interceptors: [authorize(token)],
  });
}

/** Puts the access token on calls that need one, by the method's own `caller` option; refreshes it once if refused. */
export function authorize(token: TokenSource): Interceptor {
  return (next) => async (request) => {
    if (getOption(request.method, caller) !== Caller.PLAYER) return next(request);
    const first = await token();
    request.header.set("authorization", `Bearer ${first}`);
    try {
      return await next(request);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      request.header.set("authorization", `Bearer ${await token(first)}`);
      return next(request);
    }
  };
}

/** Whether the access token was refused, so that another one may do. */
export function isTokenRefused(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === ErrorReason.SESSION_EXPIRED || reason === ErrorReason.TOKEN_INVALID;
}
