import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds the gateway; the built page calls the origin that served it. */
const gateway = process.env["GATEWAY_ADDRESS"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [svelte()],
  // The gateway's Content-Security-Policy allows no inline code and no data: addresses.
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "^/mahjongplanet\\.": gateway } },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
