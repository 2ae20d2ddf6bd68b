// The terms of a private table, in words.
import { text } from "../strings";
import type { Terms } from "./session.svelte";

/** Rules, length and clock in one line. */
export function termsText({ ruleSet, length, clock }: Terms): string {
  return [text.ruleSets[ruleSet], text.lengths[length], text.clockName(clock)].join(" · ");
}

/** An invite code in two groups, easier to read out. */
export function spacedCode(code: string): string {
  return `${code.slice(0, 4)} ${code.slice(4)}`;
}

/** The address that leads to a room by its signed link. */
export function linkTo(linkToken: string, page: Pick<Location, "origin" | "pathname">): string {
  return `${page.origin}${page.pathname}#/room/${linkToken}`;
}
