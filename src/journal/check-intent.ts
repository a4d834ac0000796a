/** The bounds of what a journal takes. The border holds them already; here they are an assertion, so a breach is a bug. */
import type { NewOrder } from '../domain/order';

const OWNER_CHARACTERS_MAX = 64;
const REQUEST_ID_CHARACTERS_MAX = 64;

/** Throws a RangeError for an intent whose keys or time no store could hold. */
export function checkIntent(intent: NewOrder): void {
  if (intent.owner.length === 0 || intent.owner.length > OWNER_CHARACTERS_MAX) {
    throw new RangeError(`The owner of an order has 1 to ${OWNER_CHARACTERS_MAX} characters, not ${intent.owner.length}.`);
  }
  if (intent.requestId.length === 0 || intent.requestId.length > REQUEST_ID_CHARACTERS_MAX) {
    throw new RangeError(`A request id has 1 to ${REQUEST_ID_CHARACTERS_MAX} characters, not ${intent.requestId.length}.`);
  }
  if (!Number.isSafeInteger(intent.openedAtMs) || intent.openedAtMs < 0 || intent.openedAtMs >= 2 ** 48) {
    throw new RangeError(`The time of an order is a whole number of milliseconds since 1970, not ${intent.openedAtMs}.`);
  }
}
