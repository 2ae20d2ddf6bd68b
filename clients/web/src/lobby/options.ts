// What a match can be, as choices of a `Segmented`.
import { durationMs } from "@bufbuild/protobuf/wkt";
import { MatchLength, type ClockTimes, type ComputerLevel, type RuleSet } from "../gen/mahjongplanet/game/v1/terms_pb";
import { text } from "../strings";

/** One choice. */
export interface Option<T> {
  value: T;
  label: string;
  help?: string;
}

export const lengthOptions: readonly Option<MatchLength>[] = [
  MatchLength.ONE_HAND,
  MatchLength.EAST_ROUND,
  MatchLength.FULL,
].map((value) => ({ value, label: text.lengths[value] }));

export function ruleSetOptions(ruleSets: readonly RuleSet[]): Option<RuleSet>[] {
  return ruleSets.map((value) => ({ value, label: text.ruleSets[value], help: text.ruleSetHelp[value] }));
}

export function clockOptions(clocks: readonly ClockTimes[]): Option<ClockTimes["clock"]>[] {
  return clocks.map((times) => ({ value: times.clock, label: text.clocks[times.clock], help: timesOf(times) }));
}

export function levelOptions(levels: readonly ComputerLevel[]): Option<ComputerLevel>[] {
  return levels.map((value) => ({ value, label: text.levels[value] }));
}

function timesOf({ baseDuration, reserveDuration }: ClockTimes): string {
  if (!baseDuration || !reserveDuration) return "";
  return text.clockTimes(durationMs(baseDuration) / 1000, durationMs(reserveDuration) / 1000);
}
