// Lists that come by pages: what is shown, and which of several questions counts.
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Pages, type ListPage } from "../src/parts/pages.svelte";
import { platformError } from "./fakes";

function lettersAfter(token: string): Promise<ListPage<string>> {
  const [items, nextPageToken] = token === "" ? [["a", "b"], "b"] : [["c"], ""];
  return Promise.resolve({ items, nextPageToken });
}

test("pages follow each other until the list ends, and reading anew begins at the first", async () => {
  const pages = new Pages(lettersAfter);
  expect(pages.items).toBeUndefined();
  await pages.load();
  expect([pages.items, pages.hasMore]).toEqual([["a", "b"], true]);
  await pages.more();
  expect([pages.items, pages.hasMore, pages.isBusy]).toEqual([["a", "b", "c"], false, false]);
  await pages.load();
  expect(pages.items).toEqual(["a", "b"]);
});

test("an answer to an older question is neither shown nor told as failed", async () => {
  const answers: ((page: ListPage<string>) => void)[] = [];
  const signals: AbortSignal[] = [];
  const pages = new Pages<string>((_, signal) => {
    signals.push(signal);
    return new Promise((resolve) => answers.push(resolve));
  });
  const [first, second] = [pages.load(), pages.load()];
  expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  answers[1]?.({ items: ["new"], nextPageToken: "" });
  await second;
  answers[0]?.({ items: ["old"], nextPageToken: "more" });
  await first;
  expect([pages.items, pages.hasMore, pages.isBusy, pages.error]).toEqual([["new"], false, false, undefined]);
});

test("what failed is told, and what was read before stays", async () => {
  let isRefused = false;
  const refusal = platformError(Code.PermissionDenied, "NOT_SIGNED_IN");
  const pages = new Pages((token) => (isRefused ? Promise.reject(refusal) : lettersAfter(token)));
  await pages.load();
  isRefused = true;
  await pages.more();
  expect(pages.error).toBeTruthy();
  expect([pages.items, pages.hasMore]).toEqual([["a", "b"], true]);
});
