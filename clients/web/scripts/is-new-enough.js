// Exit status 0 if this Node.js is one that Vite runs on: see `engines` in package.json.
import process from "node:process";

const [major, minor] = process.versions.node.split(".").map(Number);
process.exit(major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1);
