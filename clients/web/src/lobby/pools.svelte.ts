// The pools of quick play, kept fresh while somebody looks at them.
import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { failureOf } from "../api/errors";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import { Clock, type RuleSet } from "../gen/mahjongplanet/game/v1/terms_pb";
import type { MatchmakerService, Pool } from "../gen/mahjongplanet/matchmaker/v1/matchmaker_service_pb";
import { whileInSight } from "./sight";

/** How often the pools are read while the page is in sight. */
const refreshMs = 10_000;

/** What makes a pool what it is. */
export type PoolKey = Pick<Pool, "ruleSet" | "clock" | "rated">;

/** The pools that the server offers, and until when it refuses this player in rated ones. */
export class Pools {
  readonly #matchmaker: Client<typeof MatchmakerService>;
  list = $state.raw<Pool[]>([]);
  /** The server's time at which rated pools are open to the player again; in the past if they are. */
  coolDownEndMs = $state(0);

  constructor(matchmaker: Client<typeof MatchmakerService>) {
    this.#matchmaker = matchmaker;
  }

  /** Reads the pools now and again and again while the page is in sight; returns how to stop. */
  start(): () => void {
    return whileInSight(refreshMs, (signal) => this.refresh(signal));
  }

  /** Reads the pools; where that fails, what was read before stands until the next time. */
  async refresh(signal: AbortSignal): Promise<void> {
    try {
      const { pools, coolDownEndTime } = await this.#matchmaker.listPools({}, { signal });
      this.list = pools;
      this.coolDownEndMs = coolDownEndTime ? timestampMs(coolDownEndTime) : 0;
    } catch {
      return; // the next look is seconds away, and joining tells what is wrong
    }
  }

  /** The pool, if the server offers it. */
  find({ ruleSet, clock, rated }: PoolKey): Pool | undefined {
    return this.list.find((pool) => pool.ruleSet === ruleSet && pool.clock === clock && pool.rated === rated);
  }

  /** The clocks that can be queued for, of those that the server knows. */
  clocksOf(ruleSet: RuleSet, known: readonly Clock[]): Clock[] {
    if (this.list.length === 0) return [Clock.STANDARD];
    return known.filter((clock) => this.list.some((pool) => pool.ruleSet === ruleSet && pool.clock === clock));
  }

  /** Takes note of a refusal; true if it was because of a cool-down. */
  isCoolDown(error: unknown): boolean {
    const { reason, metadata } = failureOf(error);
    const end = Date.parse(metadata["end_time"] ?? "");
    if (reason !== ErrorReason.COOLING_DOWN || Number.isNaN(end)) return false;
    this.coolDownEndMs = end;
    return true;
  }
}

/** Whole seconds of a duration, rounded up. */
export function secondsOf(duration: Parameters<typeof durationMs>[0] | undefined): number {
  return duration ? Math.max(0, Math.ceil(durationMs(duration) / 1000)) : 0;
}
