// Streams of the real table service, recorded by scripts/record_stream.py: the sum of the events is the server's own snapshot.
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { reduce, type TableState } from "../src/game/reducer";
import { TablePhase, TableSnapshotSchema, type TableSnapshot } from "../src/gen/mahjongplanet/table/v1/event_pb";
import { WatchTableResponseSchema, type WatchTableResponse } from "../src/gen/mahjongplanet/table/v1/table_service_pb";

const folder = process.env["RECORDED_STREAMS"] ?? new URL("data/", import.meta.url).pathname;
const files = readdirSync(folder).filter((name) => name.endsWith(".b64"));

function messagesOf(file: string): WatchTableResponse[] {
  const lines = readFileSync(`${folder}/${file}`, "utf8").trim().split("\n");
  return lines.map((line) => fromBinary(WatchTableResponseSchema, Buffer.from(line, "base64")));
}

/** What events tell; clocks, presence, confirmations and their deadline come in statuses, which are not numbered. */
function factsOf(table: TableSnapshot): unknown {
  const unnumbered = { clocks: [], connected: [], confirmedSeats: [], phaseDeadlineTime: undefined };
  return toJson(TableSnapshotSchema, { ...table, ...unnumbered });
}

describe.each(files)("%s", (file) => {
  const messages = messagesOf(file);

  test("the sum of the events equals every later snapshot", () => {
    let state: TableState | undefined;
    let compared = 0;
    for (const message of messages) {
      const next = reduce(state, message);
      if (state && message.payload.case === "snapshot" && message.sequence === state.sequence) {
        expect(factsOf(state.table)).toEqual(factsOf(next.table));
        compared += 1;
      }
      state = next;
    }
    expect(compared).toBeGreaterThan(0);
    expect(state?.table.phase).toBe(TablePhase.OVER);
    expect(state?.table.matchEnded?.standings).toHaveLength(4);
  });

  test("the viewer's tiles are always as many as the table counts", () => {
    let state: TableState | undefined;
    for (const message of messages) {
      state = reduce(state, message);
      const { hand, seat, handEnded } = state.table;
      if (hand && !handEnded) expect(hand.concealed).toHaveLength(hand.seats[seat]?.concealedCount ?? -1);
    }
  });
});
