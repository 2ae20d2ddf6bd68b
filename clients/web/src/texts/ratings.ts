// Texts of leaderboards, ratings and their history.

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const endings: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd", other: "th" };

/** Such as "21st". */
function ordinal(number: number): string {
  return `${number}${endings[ordinals.select(number)] ?? "th"}`;
}

function matches(count: number): string {
  return `${count} rated ${count === 1 ? "match" : "matches"}`;
}

/** Texts of the leaderboards. */
export const ratings = {
  navigation: "Ratings",
  title: "Leaderboards",
  ruleSet: "Rules",
  season: "Season",
  seasonNow: (name: string) => `${name} (now)`,
  ownIntro: "How you stand",
  history: "Your matches and ratings",
  rank: "Rank",
  player: "Player",
  rating: "Rating",
  matches: "Matches",
  percentile: "Better than",
  percent: (percentile: number) => `${Math.round(percentile)} %`,
  rankOf: (rank: number, listed: number) => `${ordinal(rank)} of ${listed}`,
  betterThan: (percentile: number) => `better than ${Math.round(percentile)} % of the others`,
  seasonMatches: (count: number) => `${matches(count)} this season`,
  best: (rating: number) => `best ${rating}`,
  provisional: "provisional",
  provisionalText: (count: number) =>
    `After 20 rated matches a rating counts as known, and you are listed. You have played ${count}.`,
  notThisSeason: "You are listed once you have played a rated match in this season.",
  empty: "Nobody is listed yet. The list has those who have played 20 rated matches, and one of them in this season.",
  intro: "People only: computers hold no rating. Rated quick play is what changes it.",
  count: (count: number) => `${count} ${count === 1 ? "player" : "players"} listed`,
  more: "Show more",
};

/** Texts of a player's page. */
export const player = {
  title: "Player",
  you: "This is you",
  guest: "Guest",
  deleted: "Deleted player",
  history: "Rated matches",
  noHistory: "No rated match yet.",
  graph: (first: number, last: number, count: number) => `The last ${count} ratings, from ${first} to ${last}`,
  place: (place: number, count: number) => `${ordinal(place)} of ${count}`,
  against: "against",
  open: (date: string) => `Open the match of ${date}`,
};
