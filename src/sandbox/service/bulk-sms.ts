import { createHash } from 'node:crypto';
import { kobo, ZERO_KOBO } from '../../domain/amount';
import { percentOf } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, type Fields } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { counted } from './counted';
import { lengthAtMost } from '../field/rules';
import { smsPages } from '../field/sms-pages';

const SENDER_CHARACTERS_MAX = 11;
// The specification shows no maximum; this one keeps a request within its body limit.
const RECIPIENTS_MAX = 1_000;
const MESSAGE_CHARACTERS_MAX = 2_000;

/** POST /bulk_sms: price per page, per recipient. */
export const bulkSms: PurchaseService = {
  category: 'bulk_sms',
  endpoint: endpointOf('POST', '/bulk_sms'),
  quote(body, catalog) {
    const sender = lengthAtMost(body, 'sender_id', SENDER_CHARACTERS_MAX);
    const message = lengthAtMost(body, 'message', MESSAGE_CHARACTERS_MAX);
    const recipients = recipientsOf(body);
    const pages = smsPages(message);
    const { price_per_page: price, discount_percent: discount } = catalog.file.bulk_sms;
    const total = kobo((price - percentOf(price, discount)) * pages * recipients.length);
    return {
      category: 'bulk_sms',
      number: '',
      network: null,
      amount: total,
      charge: total,
      fee: ZERO_KOBO,
      cashback: ZERO_KOBO,
      identity: createHash('sha256')
        .update(JSON.stringify([sender, message, recipients]))
        .digest('base64url'),
      cards: 0,
      hasToken: false,
      meta: { sender_id: sender, pages, recipients: recipients.length },
    };
  },
  describe: ({ meta }) =>
    `SMS of ${counted(Number(meta['pages']), 'page')} from ${meta['sender_id']} to ${counted(Number(meta['recipients']), 'recipient')}`,
  congratulate: ({ meta }) => `The message was sent to ${counted(Number(meta['recipients']), 'recipient')}.`,
  result: () => ({}),
};

/** A JSON array or one text with commas or new lines; each number once. */
function recipientsOf(body: Fields): readonly string[] {
  const given = body['recipients'];
  const items = typeof given === 'string' ? given.split(/[,\r\n]+/) : Array.isArray(given) ? given.map(String) : [];
  const numbers = new Set<string>();
  for (const item of items) {
    const number = item.trim().replace(/^\+?234(?=\d{10}$)/, '0');
    if (number === '') continue;
    if (!/^0\d{10}$/.test(number)) throw new Refusal('invalid_field', 'recipients', 'must hold Nigerian phone numbers only');
    numbers.add(number);
  }
  if (numbers.size === 0) throw new Refusal('missing_field', 'recipients');
  if (numbers.size > RECIPIENTS_MAX) throw new Refusal('invalid_field', 'recipients', `must be at most ${RECIPIENTS_MAX}`);
  return [...numbers];
}
