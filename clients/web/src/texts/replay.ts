// Texts of the list of matches and of the replay viewer.

/** Texts of the filter of the matches. */
export const matchFilter = {
  title: "Choose among them",
  ruleSet: "Rules",
  kind: "Table",
  every: "All",
  from: "From",
  to: "To",
  none: "No match is like that.",
};

/** Makes the texts, given how tiles are called. */
export const replayTexts = (tileName: (tile: string) => string) => ({
  open: "Replay",
  openHand: (hand: number) => `Replay hand ${hand + 1}`,
  title: (hand: number) => `Replay of hand ${hand + 1}`,
  back: "To the match",
  previousHand: "Previous hand",
  nextHand: "Next hand",
  controls: "Steps of the hand",
  first: "First step",
  previous: "Step back",
  play: "Play",
  pause: "Pause",
  next: "Step on",
  last: "Last step",
  seek: "Step",
  stepOf: (step: number, count: number) => `${step + 1} / ${count}`,
  keys: "Keys: ← → one step, Page Up and Page Down ten, Home, End, space plays.",
  seenFrom: "Seen from",
  allTiles: "Show everybody's tiles",
  ownOnly: "The match is still being played: you see what your own seat saw.",
  handOf: (name: string) => `Hand of ${name}`,
  say: {
    drew: (name: string, tile: string) => (tile === "" ? `${name} draws.` : `${name} draws ${tileName(tile)}.`),
    replaced: (name: string, tile: string) =>
      tile === "" ? `${name} takes a replacement.` : `${name} takes ${tileName(tile)} as replacement.`,
    claimed: (name: string, tile: string, call: string) => `${name} claims ${tileName(tile)}: ${call}.`,
    robbed: (name: string, tile: string) => `The kong of ${name} is robbed of ${tileName(tile)}.`,
  },
});
