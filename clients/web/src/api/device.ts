// What a player would call this device in a list of devices.

/** Parts of a browser's own description, the more particular first: Edge calls itself Chrome, and Chrome Safari. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrom(e|ium)\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Such as "Firefox on Linux"; empty if nothing is known. */
export function deviceNameOf(userAgent: string): string {
  const known = [browsers, systems].map((list) => list.find(([pattern]) => pattern.test(userAgent))?.[1]);
  return known.filter((name) => name !== undefined).join(" on ");
}
