/**
 * Keeps notes of everything but plain successes, from outside the walk: refused requests, exchanges with v1, and what scripts were told.
 * Notes are held in memory and written to the store once a second. No sale waits for the store or fails because of it.
 */
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';
import { isList, type JsonValue } from '../domain/json';
import type { GatewayError } from '../domain/errors';
import { harmless } from '../domain/harmless';
import type { LegacyHeaders, LegacyRequest } from '../domain/legacy';
import { networkOf } from '../domain/network-of';
import type { ServedNumber } from '../domain/number-identity';
import { isInCredentials, mayBeKey, withoutKeys } from '../domain/shown-words';
import type { Served } from '../gateway/gateway';
import { isOfPins } from '../gateway/proof/compare-receipt';
import type { Keyring } from '../gateway/read/keyring';
import { readRaw } from '../gateway/read/read-raw';
import { idInHeader } from '../gateway/tell/refuse';
import { withoutLongNumbers } from '../journal/order-life';
import type { Mapping, Operation } from '../mapping/mapping';
import { noteExchanges } from './note-exchanges';
import { cutText as cut, keyOfOrder, keyOfSentId, type Note, type RefusedNote } from './note';
import type { KeyedNote, NotesStore } from './notes-store';
import { keyOfNumber, numbersOf } from './number-keys';

export type Notes = ReturnType<typeof createNotes>;

/** A finished request, with `refusal` if it was refused before the walk. */
interface DoorRefusal {
  readonly address: string | undefined;
  readonly refusal?: { readonly error: GatewayError; readonly headers: LegacyHeaders | undefined };
}

export interface NotesParts {
  readonly store: Promise<NotesStore>;
  readonly mapping: () => Mapping;
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly clock: Clock;
  /** Called once when notes cannot be written, and again only after a successful write. */
  readonly onTrouble: (error: unknown) => void;
}

const WRITE_EVERY_MS = 1_000;
const HELD_MAX = 10_000;
/** How many orders are followed: there was a note about them, so later plain successes are noted as well. */
const FOLLOWED_MAX = 10_000;
/** Notes of refused requests per sender and minute, so that a script in a loop does not displace the notes of others. */
const REFUSED_IN_MINUTE_MAX = 60;
const SENDERS_MAX = 5_000;
/** These outcomes prove that v1 has accepted the key. */
export const ACCEPTING: ReadonlySet<Served['outcome']> = new Set(['succeeded', 'declined', 'found']);
const ID_MAX = 100;
/** Meter numbers have up to 13 digits, and so has a phone number with its country code. So many digits also look like a key. */
const LONG_NUMBER = /^\+?\d{12,13}$/;

export function createNotes(parts: NotesParts) {
  const writer = new Writer(parts);
  const followed = createLru<string, true>(FOLLOWED_MAX);
  /** By order: what its script was told last. A script that asks every second gets a new note only when the reply changes. */
  const toldLast = createLru<string, string>(FOLLOWED_MAX);
  const allow = createLimit(parts.clock);
  const accepted = createLru<string, true>(SENDERS_MAX);
  /** Asked before a note is made. Notes are limited by a key that v1 has accepted, else by the network, because keys can be invented. */
  const mayNote = (owner: string | undefined, address: string | undefined): boolean =>
    allow(owner !== undefined && accepted.has(owner) ? owner : networkOf(address ?? ''));
  const watching = harmless(parts.onTrouble);

  /** Numbers and the sent id are hashed as they came: a keyed hash shows no key of a script. Only what the note shows is masked. */
  const noteRefused = (note: Omit<RefusedNote, 'kind' | 'atMs'>, numbers: readonly ServedNumber[], sentId?: string): void => {
    const keys = numbers.map((number) => keyOfNumber(number, parts.keyring));
    const ids = sentId === undefined ? [] : [keyOfSentId(sentId, parts.keyring)];
    writer.add({ note: { kind: 'refused', atMs: parts.clock.now(), ...note }, keys: [...keys, ...ids] });
  };
  const noteTold = (request: LegacyRequest, served: Served, isAbandoned: boolean | undefined): void => {
    const { outcome, repeat, fingerprint: owner, order, heldMs, reply } = served;
    const { number } = order;
    if (owner === undefined || number === undefined) return;
    const id = `${owner} ${number}`;
    const isPlain = outcome === 'succeeded' && repeat === undefined && isAbandoned !== true;
    if (isPlain && !followed.has(id)) return;
    if (isPlain) followed.delete(id);
    else followed.set(id, true);
    const word = `${outcome} ${reply.status} ${repeat ?? ''} ${isAbandoned === true}`;
    if (toldLast.get(id) === word) return;
    toldLast.set(id, word);
    const operation = parts.mapping().operations.get(served.operation ?? '');
    const note: Note = {
      ...{ kind: 'told', atMs: parts.clock.now(), owner, number, outcome, http: reply.status },
      told: outcome === 'succeeded' ? '' : withoutLongNumbers(sentenceIn(request, served), isOfPins(operation)),
      ...(heldMs === undefined ? {} : { heldMs: Math.round(heldMs) }),
      ...(repeat === undefined ? {} : { repeat }),
      ...(isAbandoned === true ? { hasHungUp: true } : {}),
    };
    writer.add({ note, keys: [keyOfOrder(owner, number, parts.keyring)] });
  };

  return {
    /** Notes a request that went through the walk, unless it is a plain success. `isAbandoned`: its script had hung up. */
    served: watching((request: LegacyRequest, served: Served, isAbandoned?: boolean): void => {
      if (served.fingerprint !== undefined && ACCEPTING.has(served.outcome)) accepted.set(served.fingerprint, true);
      if (served.outcome === 'succeeded' && served.repeat === undefined && isAbandoned !== true && followed.size === 0) return;
      if (served.refusal === undefined && (served.order.number !== undefined || served.reply.status < 400))
        return noteTold(request, served, isAbandoned);
      if (!mayNote(served.fingerprint, request.clientAddress)) return;
      const operation = parts.mapping().operations.get(served.operation ?? '');
      const numbers = operation === undefined ? [] : numbersAsked(request, operation, served.parameters);
      noteRefused(refusedNoteOf(request, served, numbers), numbers, served.order.requestId);
    }),
    /** Notes a finished request if it was refused before the walk. */
    refusedAtDoor: watching(({ address, refusal }: DoorRefusal) => {
      if (refusal === undefined || !mayNote(undefined, address)) return;
      const { error, headers = {} } = refusal;
      const id = idInHeader(headers, parts.mapping());
      const requestId = id === undefined ? undefined : withoutKeys(id.slice(0, ID_MAX), headers);
      const known = { ...(address === undefined ? {} : { address }), ...(requestId === undefined ? {} : { requestId }) };
      noteRefused({ ...known, code: error.code, told: withoutKeys(cut(error.detail), headers), numbers: [] }, [], id);
    }),
    /** Notes exchanges with v1 about orders, unless they are plain successes. */
    listener: noteExchanges({ ...parts, add: (note) => writer.add(note) }),
    /** The store, for readers in this process. */
    store: parts.store,
    /** Writes the notes in memory and closes the store. */
    stop: () => writer.stop(),
  };
}

/** The phone, meter and card numbers in a request, even if the request was refused while it was read. */
function numbersAsked(
  request: LegacyRequest,
  operation: Operation,
  parameters: Served['parameters'] = {},
): readonly ServedNumber[] {
  return operation.fields.flatMap((field) => {
    const [raw] = readRaw(request, field);
    const value = parameters[field.name] ?? raw?.value;
    return numbersOf(field.as, value as JsonValue | undefined).map(({ kind, text }) => ({ kind, text: text.slice(0, ID_MAX) }));
  });
}

function refusedNoteOf(
  request: LegacyRequest,
  served: Served,
  numbers: readonly ServedNumber[],
): Omit<RefusedNote, 'kind' | 'atMs'> {
  const { operation, fingerprint, refusal, order, outcome } = served;
  const id = order.requestId;
  const requestId = id === undefined ? undefined : withoutKeys(id.slice(0, ID_MAX), request.headers);
  const known = { operation, owner: fingerprint, requestId };
  return {
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    address: request.clientAddress,
    numbers: numbers.map(({ text }) => text).filter((text) => !isNoNumber(text, request.headers)),
    code: refusal?.code ?? outcome,
    told: withoutKeys(sentenceIn(request, served), request.headers),
  };
}

/** A broken script may send its key in any field. */
function isNoNumber(number: string, headers: LegacyHeaders): boolean {
  return isInCredentials(number, headers) || (mayBeKey(number) && !LONG_NUMBER.test(number));
}

/**
 * The longest sentence in a reply: its text, whatever name the mapping gives the field. A sentence cannot be a token. A text that the
 * request brought, as its id, is not the gateway's.
 */
function sentenceIn({ body: sent, query }: LegacyRequest, { reply: { body }, order }: Served): string {
  const brought = new Set<unknown>([...sent.values(), ...query.values(), order.requestId]);
  const texts = Object.values(body as Readonly<Record<string, JsonValue>>).flatMap((value): readonly JsonValue[] =>
    isList(value) ? value : [value],
  );
  const own = texts.filter((text) => typeof text === 'string').filter((text) => !brought.has(text));
  const sentences = own.map(cut).filter((text) => /[A-Za-z]{2} [A-Za-z]/.test(text));
  return sentences.sort((one, other) => other.length - one.length)[0] ?? '';
}

/** The returned function tells whether one more note of the sender may be kept in this minute. */
function createLimit(clock: Pick<Clock, 'now'>): (sender: string) => boolean {
  const senders = createLru<string, { minute: number; count: number }>(SENDERS_MAX);
  return (sender) => {
    const minute = Math.floor(clock.now() / 60_000);
    const known = senders.get(sender);
    const count = known?.minute === minute ? known.count + 1 : 1;
    senders.set(sender, { minute, count });
    return count <= REFUSED_IN_MINUTE_MAX;
  };
}

/** Writes notes to the store in batches. */
class Writer {
  readonly #parts: NotesParts;
  #held: KeyedNote[] = [];
  #cancel: () => void = () => undefined;
  #isWaiting = false;
  #writing: Promise<void> = Promise.resolve();
  #isTroubled = false;
  #isStopped = false;

  constructor(parts: NotesParts) {
    this.#parts = parts;
    // Until the first note nobody else waits for the store, and a rejection that nobody hears ends the process.
    parts.store.catch((error: unknown) => this.#report(error));
  }

  add(note: KeyedNote): void {
    // Notes beyond the bound are lost: they are only for people, and no sale waits for them.
    if (this.#held.length >= HELD_MAX || this.#isStopped) return;
    this.#held.push(note);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#cancel = this.#parts.clock.after(WRITE_EVERY_MS, () => {
      this.#isWaiting = false;
      this.#writing = this.#writing.then(() => this.#write());
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#writing;
    await this.#write();
    // Later notes are dropped, because the store is closed: a call to v1 that the end of the process cuts off is still heard here.
    this.#isStopped = true;
    await this.#parts.store.then((store) => store.close()).catch(() => undefined);
  }

  async #write(): Promise<void> {
    const notes = this.#held;
    if (notes.length === 0) return;
    this.#held = [];
    try {
      await (await this.#parts.store).write(notes);
      this.#isTroubled = false;
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    if (!this.#isTroubled) this.#parts.onTrouble(error);
    this.#isTroubled = true;
  }
}
