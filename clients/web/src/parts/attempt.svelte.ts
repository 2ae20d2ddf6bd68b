// A form's call to the server: under way, refused, or done.
import { failureOf, textOfError } from "../api/errors";
import { ErrorReason } from "../gen/mahjongplanet/errors/v1/error_reason_pb";

/** The field of a form that a refusal is about. */
export type FieldName = "displayName" | "loginName" | "password" | "currentPassword";

const fields: Partial<Record<ErrorReason, FieldName>> = {
  [ErrorReason.DISPLAY_NAME_REFUSED]: "displayName",
  [ErrorReason.DISPLAY_NAME_TAKEN]: "displayName",
  [ErrorReason.LOGIN_NAME_REFUSED]: "loginName",
  [ErrorReason.LOGIN_NAME_TAKEN]: "loginName",
  [ErrorReason.PASSWORD_REFUSED]: "password",
  [ErrorReason.PASSWORD_WRONG]: "currentPassword",
};

/** Which field a failed call is about; undefined if none, or no single one. */
export function fieldOf(error: unknown): FieldName | undefined {
  return fields[failureOf(error).reason];
}

/** What has come of pressing a form's button. */
export class Attempt {
  isBusy = $state(false);
  /** Whether the last attempt worked. */
  isDone = $state(false);
  #error = $state<string>();
  #field = $state<FieldName>();

  /** Makes the call unless one is under way; true if it worked. */
  async run(call: () => Promise<unknown>): Promise<boolean> {
    if (this.isBusy) return false;
    this.isBusy = true;
    this.isDone = false;
    this.#error = undefined;
    this.#field = undefined;
    try {
      await call();
      this.isDone = true;
    } catch (failure) {
      this.#error = textOfError(failure);
      this.#field = fieldOf(failure);
    } finally {
      this.isBusy = false;
    }
    return this.isDone;
  }

  /** What is wrong with a field; undefined if nothing. */
  at(field: FieldName): string | undefined {
    return this.#field === field ? this.#error : undefined;
  }

  /** What went wrong that is about none of the fields which the form shows. */
  besides(...shown: readonly FieldName[]): string | undefined {
    return this.#field !== undefined && shown.includes(this.#field) ? undefined : this.#error;
  }
}
