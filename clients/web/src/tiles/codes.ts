// Tile codes of docs/formats/notation.md and their fixed order.

const suits = ["b", "c", "d"] as const;

/** The 42 kinds of tiles in sort order: suits, winds, dragons, flowers, seasons. */
export const tileCodes: readonly string[] = [
  ...suits.flatMap((suit) => Array.from({ length: 9 }, (_, index) => `${index + 1}${suit}`)),
  ...["E", "S", "W", "N", "R", "G", "P"],
  ...["f", "s"].flatMap((kind) => [1, 2, 3, 4].map((number) => `${kind}${number}`)),
];

const ranks: ReadonlyMap<string, number> = new Map(tileCodes.map((code, index) => [code, index]));

/** A compare function for the fixed order; unknown codes come last. */
export function compareTiles(left: string, right: string): number {
  return (ranks.get(left) ?? 99) - (ranks.get(right) ?? 99);
}

/** A sorted copy. */
export function sortTiles(tiles: readonly string[]): string[] {
  return [...tiles].sort(compareTiles);
}

/** A copy without the given tiles, one copy each; tiles that are not there are passed over. */
export function withoutTiles(tiles: readonly string[], taken: readonly string[]): string[] {
  const rest = [...tiles];
  for (const tile of taken) {
    const index = rest.lastIndexOf(tile);
    if (index >= 0) rest.splice(index, 1);
  }
  return rest;
}
