/**
 * Is the order that v1 has under this request id the one that is being bought? Asked when v1 reports a duplicate that
 * the journal does not know: another gateway, a new key, a lost journal, or somebody else's sale under the same id.
 */
import type { AmountMinor } from '../domain/amount';
import type { JsonObject } from '../domain/json';
import { readNaira } from '../upstream/delivery';
import { receiptMatches } from '../upstream/receipt';
import type { V1Call } from '../upstream/upstream';

/**
 * `same` when the receipt shows the served number and a plausible price, `other` when it provably names another phone,
 * and `unclear` in between. Unclear is told as pending: either of the other words could be a lie about money.
 */
export function identifyReceipt(receipt: JsonObject, call: V1Call, price: AmountMinor | undefined): 'same' | 'other' | 'unclear' {
  const body = call.body ?? {};
  const numbers = ['phone', 'meter_number', 'smartcard'].flatMap((name) => (typeof body[name] === 'string' ? [body[name]] : []));
  if (receiptMatches(receipt, { numbers, amounts: [], categories: [] })) return isPlausible(receipt, price) ? 'same' : 'unclear';
  // Where a meter or smartcard is served, the specification leaves open whose number a receipt shows as `phone`.
  const isPhoneServed =
    typeof body['phone'] === 'string' && body['meter_number'] === undefined && body['smartcard'] === undefined;
  return isPhoneServed && shownPhone(receipt) !== undefined ? 'other' : 'unclear';
}

function shownPhone(receipt: JsonObject): string | undefined {
  const data = receipt['data'] as JsonObject | undefined;
  const phone = data?.['phone'];
  return typeof phone === 'string' && phone !== '' ? phone : undefined;
}

/** A receipt may show the face value or what was charged for it: a discount of up to a fifth, a service charge on top. */
function isPlausible(receipt: JsonObject, price: AmountMinor | undefined): boolean {
  const amount = readNaira((receipt['data'] as JsonObject | undefined)?.['amount']);
  if (price === undefined || amount === undefined) return price === amount || price === undefined;
  return amount >= price * 0.8 && amount <= price * 1.05 + 100_00;
}
