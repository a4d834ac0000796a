import { Refusal } from './answer';
import type { Fields } from './fields';

// The specification shows no maximum; this one keeps a request within its body limit.
const RECIPIENTS_MAX = 1_000;

/** The recipients of a bulk SMS, from a JSON array or one text with commas or new lines; each number once. */
export function recipientsOf(body: Fields): readonly string[] {
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

// 3GPP TS 23.038, section 6.2.1: the characters that travel as seven bits; those of the extension table take two places.
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENSION = new Set('\f^{}\\[~]|€');

/** How many pages a message takes: 160 characters, or 153 each when there are several; with other alphabets 70 and 67. */
export function smsPages(message: string): number {
  let units = 0;
  for (const character of message) {
    if (BASIC.has(character)) units += 1;
    else if (EXTENSION.has(character)) units += 2;
    else return pagesOf(message.length, 70, 67);
  }
  return pagesOf(units, 160, 153);
}

function pagesOf(units: number, single: number, joined: number): number {
  return units <= single ? 1 : Math.ceil(units / joined);
}
