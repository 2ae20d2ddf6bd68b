// What went wrong with a call, by the platform's machine-readable reasons.
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";
import { text } from "../strings";

const prefix = "ERROR_REASON_";

/** A failed call, read once. */
export interface Failure {
  code: Code;
  /** UNSPECIFIED if the error carries no reason of the platform: the network, or a server that is not ours. */
  reason: ErrorReason;
  /** The variable parts of the reason, as its comment in protos/ lists them. */
  metadata: Readonly<Record<string, string>>;
  /** The least time to wait before a retry, if the server told. */
  retryDelayMs: number | undefined;
}

/** Reads any thrown value. */
export function failureOf(error: unknown): Failure {
  const connectError = ConnectError.from(error);
  const info = connectError.findDetails(ErrorInfoSchema).find((detail) => detail.domain === "mahjongplanet");
  const delay = connectError.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return {
    code: connectError.code,
    reason: reasonNamed(info?.reason ?? ""),
    metadata: info?.metadata ?? {},
    retryDelayMs: delay && durationMs(delay),
  };
}

/** The reason alone. */
export function reasonOf(error: unknown): ErrorReason {
  return failureOf(error).reason;
}

/**
 * Whether the same request may help if sent again: the platform says so (UNAVAILABLE, RESOURCE_EXHAUSTED), or no answer
 * came back at all. Only for calls that are idempotent.
 */
export function isTransient(error: unknown): boolean {
  const { code, reason } = failureOf(error);
  if (code === Code.Unavailable || code === Code.ResourceExhausted || code === Code.DeadlineExceeded) return true;
  return reason === ErrorReason.UNSPECIFIED && (code === Code.Unknown || code === Code.Internal);
}

/** What to tell the player. */
export function textOfError(error: unknown): string {
  const { reason, metadata, code, retryDelayMs } = failureOf(error);
  const name = ErrorReason[reason] as keyof typeof ErrorReason;
  const message = text.problem(name, metadata["problem"] ?? "") ?? text.errors[name];
  if (reason === ErrorReason.RATE_LIMITED && retryDelayMs) return text.tooManyTries(Math.ceil(retryDelayMs / 1000));
  if (reason === ErrorReason.INTERNAL) return text.internalError(metadata["request_id"] ?? "?");
  if (reason !== ErrorReason.UNSPECIFIED && message) return message;
  return isTransient(error) ? text.unreachable : text.unknownError(Code[code]);
}

function reasonNamed(name: string): ErrorReason {
  if (!name.startsWith(prefix)) return ErrorReason.UNSPECIFIED;
  const reasons: Readonly<Record<string, ErrorReason | string>> = ErrorReason;
  const reason = reasons[name.slice(prefix.length)];
  return typeof reason === "number" ? reason : ErrorReason.UNSPECIFIED;
}
