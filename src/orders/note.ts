/** Notes: records of orders and refused requests beside the journal, and their look-up keys. No note has a key, PIN, card PIN or token. */
import { shorten } from '../domain/shown-words';
import type { Keyring } from '../gateway/read/keyring';
import type { LookUpKey } from './number-keys';

/** A request without an order, and what its script was told. */
export interface RefusedNote {
  readonly kind: 'refused';
  readonly atMs: number;
  /** Fingerprint of the key; absent where no key was read. */
  readonly owner?: string;
  readonly address?: string;
  readonly operation?: string;
  readonly requestId?: string;
  /** The phones, meters and smartcards in the request. */
  readonly numbers: readonly string[];
  /** A code of docs/errors.md, or the kind of v1's answer. */
  readonly code: string;
  /** The text that the script was told. */
  readonly told: string;
}

/** One exchange with v1 about an order, other than a plain first success. */
export interface ExchangeNote {
  readonly kind: 'exchange';
  /** When the exchange began. */
  readonly atMs: number;
  readonly tookMs: number;
  readonly owner: string;
  /** Set for a purchase. */
  readonly requestId?: string;
  /** Set for the question for a receipt. */
  readonly reference?: string;
  /** `POST /airtime`. */
  readonly call: string;
  /** The kind of outcome or finding, as the gateway classified v1's answer. */
  readonly answer: string;
  readonly http?: number;
  readonly isDuplicate?: boolean;
  /** v1's message, or why there is no usable answer. */
  readonly message?: string;
}

/** What a script was told about its order, other than a plain success. */
interface ToldNote {
  readonly kind: 'told';
  readonly atMs: number;
  readonly owner: string;
  readonly number: number;
  readonly outcome: string;
  readonly http: number;
  /** The text of the reply. Empty for a success, whose text may contain goods. */
  readonly told: string;
  readonly heldMs?: number;
  readonly repeat?: string;
  readonly hasHungUp?: boolean;
}

type OrderNote = ExchangeNote | ToldNote;
export type Note = RefusedNote | OrderNote;

const NOTE_TEXT_MAX = 500;
export const cutText = (text: string): string => shorten(text, NOTE_TEXT_MAX);

type Hashing = Pick<Keyring, 'hash'>;

/** The look-up keys of an order's notes: by its number, by its request id, and by v1's reference. */
export function keysOfOrder(
  { owner, number, requestId, reference }: { owner: string; number: number; requestId: string; reference: string | undefined },
  keyring: Hashing,
): readonly LookUpKey[] {
  const ids = [keyOfOrder(owner, number, keyring), keyOfExchange('sent', owner, requestId, keyring)];
  return reference === undefined ? ids : [...ids, keyOfExchange('reference', owner, reference, keyring)];
}

export function keyOfOrder(owner: string, number: number, keyring: Hashing): LookUpKey {
  return keyring.hash(JSON.stringify(['order', owner, number]));
}

/** The look-up key of an exchange: of a purchase by its request id, of a question for a receipt by its reference. */
export function keyOfExchange(kind: 'sent' | 'reference', owner: string, id: string, keyring: Hashing): LookUpKey {
  return keyring.hash(JSON.stringify([kind, owner, id]));
}

/** The look-up key of refused requests by the request id that their script sent. */
export function keyOfSentId(id: string, keyring: Hashing): LookUpKey {
  return keyring.hash(JSON.stringify(['id', id]));
}
