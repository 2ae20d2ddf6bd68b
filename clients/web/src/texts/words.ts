// Words that several texts are made of.
import { ComputerLevel } from "../gen/mahjongplanet/game/v1/terms_pb";

/** Names of the levels of computer players. */
export const levels = {
  [ComputerLevel.UNSPECIFIED]: "",
  [ComputerLevel.BASIC]: "basic",
  [ComputerLevel.STRONG]: "strong",
} satisfies Record<ComputerLevel, string>;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function duration(seconds: number): string {
  if (seconds < 60) return plural(seconds, "second");
  return seconds % 60 === 0 ? plural(seconds / 60, "minute") : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
