import { createHash } from 'node:crypto';
import type { CardPin } from './order';

/** Makes references, tokens, card PINs and names. The same seed and order number always give the same values. */
export class Mint {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = createHash('sha256').update(seed).digest('hex');
  }

  /** Unique because it contains the order number. The last five digits only hide that references follow each other. */
  reference(orderId: number): string {
    return `PPA${String(orderId).padStart(9, '0')}${this.#digits('reference', orderId, 5)}`;
  }

  /** Twenty digits in groups of four, the form that meters take. */
  token(orderId: number): string {
    return (this.#digits('token', orderId, 20).match(/.{4}/g) ?? []).join('-');
  }

  cards(orderId: number, count: number): readonly CardPin[] {
    return Array.from({ length: count }, (_, index) => ({
      pin: this.#digits(`pin ${index}`, orderId, 16),
      serial: `SN${this.#digits(`serial ${index}`, orderId, 10)}`,
    }));
  }

  /** The same number always gives the same name. */
  customerName(number: string): string {
    const pick = (label: string, names: readonly string[]) =>
      names[hash32(`${this.#seed} ${label} ${number}`) % names.length] ?? '';
    return `${pick('first', FIRST_NAMES)} ${pick('last', LAST_NAMES)}`;
  }

  address(number: string): string {
    return `${(hash32(`${this.#seed} house ${number}`) % 200) + 1} Marina Road, Lagos`;
  }

  #digits(label: string, orderId: number, length: number): string {
    let digits = '';
    for (let part = 0; digits.length < length; part += 1) {
      digits += String(hash32(`${this.#seed} ${label} ${orderId} ${part}`))
        .padStart(10, '0')
        .slice(-9);
    }
    return digits.slice(0, length);
  }
}

/** The order number inside a reference; 0, which no order has, for any other text. */
export function orderIdOf(reference: string): number {
  return /^PPA\d{14,}$/.test(reference) ? Number(reference.slice(3, -5)) : 0;
}

/** The provider's own id of the order. It is made from the reference, which cannot be guessed either. */
export function providerReference(reference: string): string {
  return `PR-${String(hash32(reference)).padStart(10, '0')}`;
}

const FIRST_NAMES = ['ADEBAYO', 'CHIOMA', 'MUSA', 'NGOZI', 'IBRAHIM', 'FUNKE', 'EMEKA', 'AISHA', 'TUNDE', 'BLESSING'] as const;
const LAST_NAMES = ['OKAFOR', 'BELLO', 'ADEYEMI', 'EZE', 'SANI', 'OGUNLEYE', 'NWOSU', 'YUSUF', 'BALOGUN', 'OBI'] as const;

/** FNV-1a with a final mix. It spreads well enough for invented digits and takes a microsecond less than a cryptographic hash. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
