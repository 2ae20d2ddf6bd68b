// Small stand-ins for what the browser gives, and for services, in unit tests.
import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "../src/gen/google/rpc/error_details_pb";
import { ErrorReason } from "../src/gen/mahjongplanet/errors/v1/error_reason_pb";
import { TableEventSchema, TablePhase, TableSnapshotSchema } from "../src/gen/mahjongplanet/table/v1/event_pb";
import { WatchTableResponseSchema, type WatchTableResponse } from "../src/gen/mahjongplanet/table/v1/table_service_pb";

/** An error as the platform sends it, perhaps with a time to wait before the next try. */
export function platformError(
  code: Code,
  reason: keyof typeof ErrorReason,
  metadata: Record<string, string> = {},
  retryS?: number,
): ConnectError {
  const info = create(ErrorInfoSchema, { reason: `ERROR_REASON_${reason}`, domain: "mahjongplanet", metadata });
  const error = new ConnectError("text that nobody branches on", code);
  error.details = [{ type: ErrorInfoSchema.typeName, value: toBinary(ErrorInfoSchema, info) }];
  if (retryS !== undefined) {
    const retry = create(RetryInfoSchema, { retryDelay: { seconds: BigInt(retryS) } });
    error.details.push({ type: RetryInfoSchema.typeName, value: toBinary(RetryInfoSchema, retry) });
  }
  return error;
}

/** Local storage in memory. */
export class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();

  get length(): number {
    return this.#items.size;
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }

  removeItem(key: string): void {
    this.#items.delete(key);
  }

  clear(): void {
    this.#items.clear();
  }
}

/** A snapshot message. */
export function snapshotMessage(
  sequence: number,
  table: MessageInitShape<typeof TableSnapshotSchema> = {},
): WatchTableResponse {
  const value = create(TableSnapshotSchema, { tableId: "t", phase: TablePhase.HAND, ...table });
  return message(sequence, { case: "snapshot", value });
}

/** An event message. */
export function eventMessage(
  sequence: number,
  event: MessageInitShape<typeof TableEventSchema>["event"],
): WatchTableResponse {
  return message(sequence, { case: "event", value: create(TableEventSchema, { event }) });
}

/** A message of epoch 1. */
export function message(
  sequence: number,
  payload: MessageInitShape<typeof WatchTableResponseSchema>["payload"],
): WatchTableResponse {
  return create(WatchTableResponseSchema, {
    epoch: 1n,
    sequence: BigInt(sequence),
    serverTime: timestampFromMs(1_000),
    payload,
  });
}
