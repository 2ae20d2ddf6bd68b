// Reading of ratings: what a line says, and the graph of a history.
import type { RatingChange, RatingHistoryEntry } from "../gen/mahjongplanet/rating/v1/rating_service_pb";

/** By how many points a match changed the shown rating. */
export function gainOf(change: RatingChange | undefined): number {
  return (change?.after?.shown ?? 0) - (change?.before?.shown ?? 0);
}

/** Ratings from old to new: before the first match of the entries, then after each. Entries come newest first. */
export function courseOf(entries: readonly RatingHistoryEntry[]): number[] {
  const changes = entries.flatMap(({ change }) => (change ? [change] : [])).reverse();
  const first = changes[0]?.before?.shown;
  return first === undefined ? [] : [first, ...changes.map(({ after }) => after?.shown ?? 0)];
}

/** Points of a line through the values, for an SVG polyline: the newest at the right, the highest on top. */
export function pointsOf(values: readonly number[], width: number, height: number): string {
  const lowest = Math.min(...values);
  const range = Math.max(1, Math.max(...values) - lowest);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, index) => [index * step, height - ((value - lowest) / range) * height] as const);
  return points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
}
