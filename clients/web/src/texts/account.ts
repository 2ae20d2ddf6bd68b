// Texts of signing in and of the account page.

/** Texts of the sign-in view. */
export const signIn = {
  title: "Take a seat",
  way: "How to enter",
  asGuest: "Guest",
  withAccount: "Sign in",
  newAccount: "New account",
  guestIntro:
    "No password, no e-mail: this device remembers you. You can make it an account later and keep everything.",
  accountIntro: "Lost the password? There is no e-mail to send it to: ask the people who run this server.",
  registerIntro: "An account keeps your name, ratings and matches, and opens them on every device.",
  guestNameLabel: "Your name (optional)",
  guestNamePlaceholder: "We choose one if you don't",
  submitGuest: "Play as a guest",
  submitAccount: "Sign in with this account",
  submitNew: "Create the account",
};

/** Texts of the fields that describe an account. */
export const credentials = {
  loginName: "Login name",
  loginNameHelp: "3 to 32 of a-z, digits and . _ -; only you ever see it.",
  password: "Password",
  newPassword: "New password",
  currentPassword: "Present password",
  passwordHelp: "At least 8 characters, not easily guessed.",
  displayName: "Name at the table",
  displayNameHelp: "1 to 24 characters. It will be yours alone.",
};

/** Texts of the account page. */
export const account = {
  title: "Your account",
  guest: "Guest",
  registered: "Account",
  facts: (kind: string, date: string) => `${kind} since ${date}`,
  loginAs: (loginName: string) => `You sign in as ${loginName}.`,
  upgradeTitle: "Keep this guest for good",
  upgradeText:
    "Choose a login name and a password. Your ratings, matches and friends stay, and you can sign in on any device.",
  upgrade: "Make it an account",
  upgraded: "Done: you have an account now. Sign in with it on any device.",
  nameTitle: "Name",
  guestNameHelp: "1 to 24 characters. Other guests may have the same name; an account's name is its own.",
  rename: "Change the name",
  renamed: "Your name is changed.",
  passwordTitle: "Password",
  passwordText: "A new password signs out every other device.",
  changePassword: "Change the password",
  passwordChanged: "Your password is changed. Every other device was signed out.",
  devicesTitle: "Devices",
  devicesText: "Where you are signed in. A device that you end is out within 15 minutes.",
  unknownDevice: "Unknown device",
  thisDevice: "this device",
  deviceTimes: (signedIn: string, used: string) => `signed in ${signedIn} · last used ${used}`,
  endDevice: "Sign out",
  endDeviceOf: (device: string) => `Sign out ${device}`,
  signOutEverywhere: "Sign out everywhere",
  leaveTitle: "Leaving",
  signOut: "Sign out",
  signOutWarning: "A guest who signs out cannot come back. Make it an account first if you want to.",
  everywhereWarning: "This ends your session on every device, this one too.",
  signOutConfirm: "Sign out for good",
  everywhereConfirm: "End every session",
  deleteAccount: "Delete the account",
  deleteWarning:
    "Your ratings, friends and names will be gone for good. Matches that you played stay with the others, under “Deleted player”. Nobody can undo this.",
  deleteConfirm: "Delete for good",
};

/** What exactly is wrong with a refused name or password, by the error's `problem`. */
export const problems = {
  DISPLAY_NAME_REFUSED: {
    empty: "Enter a name.",
    too_long: "This name is too long: 24 characters at most.",
    unprintable: "This name has characters that cannot be shown.",
    blank: "Nothing of this name can be seen.",
    marks: "This name has too many marks on one character.",
    reserved: "This name is kept for the platform itself.",
  },
  LOGIN_NAME_REFUSED: {
    too_short: "Too short: a login name has at least 3 characters.",
    too_long: "Too long: a login name has at most 32 characters.",
    characters: "Only a-z, digits and . _ - may be used, a letter or digit first.",
  },
  PASSWORD_REFUSED: {
    too_short: "Too short: use at least 8 characters.",
    too_long: "Too long: use at most 128 characters.",
    unprintable: "This has characters that cannot be typed.",
    guessable: "Too easily guessed: it is a common one, or made of your names.",
  },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
