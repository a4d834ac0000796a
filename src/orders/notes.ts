/**
 * Takes note of what is out of the ordinary, from outside the walk: refused requests, exchanges with v1 that were no plain success, and what
 * scripts were told then. In memory first, to the store once a second; whatever becomes of the store, no sale waits for it or fails by it.
 */
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';
import { isList, textOf, type JsonValue } from '../domain/json';
import type { GatewayError } from '../domain/errors';
import type { LegacyHeaders, LegacyReply, LegacyRequest } from '../domain/legacy';
import { networkOf } from '../domain/network-of';
import { isInCredentials, looksLikeKey, showPath } from '../domain/shown-words';
import { NOT_KEPT } from '../domain/traffic';
import type { Served } from '../gateway/gateway';
import type { Keyring } from '../gateway/read/keyring';
import { readRaw } from '../gateway/read/read-raw';
import { idInHeader } from '../gateway/tell/refuse';
import type { Mapping, Operation } from '../mapping/mapping';
import type { AnswerHearer } from '../upstream/hear-answers';
import { hearExchanges } from './hear-exchanges';
import { cutText as cut, NOTE_TEXT_MAX as TEXT_MAX, type Note, type RefusedNote } from './note';
import type { KeyedNote, NotesStore } from './notes-store';
import { keyOfNumber, numbersOf, type KindOfNumber, type LookUpKey } from './number-keys';

export interface Notes {
  /** A request that came through the walk; of a plain success nothing is kept. */
  served(request: LegacyRequest, served: Served, isAbandoned?: boolean): void;
  /** Of a request that is over: kept where it was refused before the walk. */
  refusedAtDoor(done: DoorRefusal): void;
  /** Notes exchanges about orders that are no plain success. */
  readonly hearer: AnswerHearer;
  /** For whoever reads them in this process. */
  readonly store: Promise<NotesStore>;
  /** Writes what is held, and closes the store. */
  stop(): Promise<void>;
}

/** A request that was refused before the walk, as the door tells of it. */
export interface DoorRefusal {
  readonly method: string;
  readonly path: string;
  readonly address: string | undefined;
  readonly status: number;
  readonly refusal?: { readonly error: GatewayError; readonly headers: LegacyHeaders | undefined };
}

export interface NotesParts {
  readonly store: Promise<NotesStore>;
  readonly mapping: () => Mapping;
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly clock: Clock;
  /** Told once when notes cannot be written, and again only after they could. */
  readonly onTrouble: (error: unknown) => void;
}

const WRITE_EVERY_MS = 1_000;
const HELD_MAX = 10_000;
/** Orders whose later exchanges and words are noted as well, because an earlier one was out of the ordinary. */
const FOLLOWED_MAX = 10_000;
/** Of one sender in a minute: a script in a loop leaves room for the complaints of others. */
const REFUSED_IN_MINUTE_MAX = 60;
const SENDERS_MAX = 5_000;
/** By these v1 has accepted the key. */
const ACCEPTING: ReadonlySet<Served['outcome']> = new Set(['succeeded', 'declined', 'found']);
const ID_MAX = 100;
/** PINs have as many digits. */
const KEY_PART_MIN = 4;

export function createNotes(parts: NotesParts): Notes {
  const writer = new Writer(parts);
  const followed = createLru<string, true>(FOLLOWED_MAX);
  /** What an order's script was told last: a script that asks every second is noted when the answer changes. */
  const toldLast = createLru<string, string>(FOLLOWED_MAX);
  const allow = createLimit(parts.clock);
  const accepted = createLru<string, true>(SENDERS_MAX);
  /** A key that v1 has accepted; of all others the address, for anybody can make up keys. */
  const senderOf = ({ owner, address }: Pick<RefusedNote, 'owner' | 'address'>): string =>
    owner !== undefined && accepted.has(owner) ? owner : networkOf(address ?? '');
  const watching = harmless(parts.onTrouble);

  const noteRefused = (note: Omit<RefusedNote, 'kind' | 'atMs'>, numbers: readonly KindOfNumber[]): void => {
    const skipped = allow(senderOf(note));
    if (skipped === undefined) return;
    const keys = numbers.map((number) => keyOfNumber(number, parts.keyring));
    const ids = note.requestId === undefined ? [] : [keyOfSentId(note.requestId, parts.keyring)];
    writer.add({
      note: { kind: 'refused', atMs: parts.clock.now(), ...note, ...(skipped === 0 ? {} : { skipped }) },
      keys: [...keys, ...ids],
    });
  };
  const noteTold = (served: Served, isAbandoned: boolean | undefined): void => {
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
    const note: Note = {
      ...{ kind: 'told', atMs: parts.clock.now(), owner, number, outcome, http: reply.status },
      told: outcome === 'succeeded' ? '' : sentenceIn(reply),
      ...(heldMs === undefined ? {} : { heldMs: Math.round(heldMs) }),
      ...(repeat === undefined ? {} : { repeat }),
      ...(isAbandoned === true ? { hasHungUp: true } : {}),
    };
    writer.add({ note, keys: [keyOfOrder(owner, number, parts.keyring)] });
  };

  return {
    served: watching((request, served, isAbandoned) => {
      if (served.fingerprint !== undefined && ACCEPTING.has(served.outcome)) accepted.set(served.fingerprint, true);
      if (served.outcome === 'succeeded' && served.repeat === undefined && isAbandoned !== true && followed.size === 0) return;
      if (served.refusal === undefined && (served.order.number !== undefined || served.reply.status < 400))
        return noteTold(served, isAbandoned);
      const operation = parts.mapping().operations.get(served.operation ?? '');
      const numbers = operation === undefined ? [] : numbersAsked(request, operation, served.parameters);
      noteRefused(refusedNoteOf(request, served, numbers), numbers);
    }),
    refusedAtDoor: watching(({ method, path, address, status: http, refusal }) => {
      if (refusal === undefined) return;
      const { error, headers = {} } = refusal;
      const id = idInHeader(headers, parts.mapping());
      const requestId = id === undefined ? undefined : withoutKeys(id.slice(0, ID_MAX), headers);
      const known = { ...(address === undefined ? {} : { address }), ...(requestId === undefined ? {} : { requestId }) };
      const { code } = error;
      const detail = withoutKeys(cut(error.detail), headers);
      noteRefused({ method, path: showPath(path, headers), http, code, detail, told: detail, ...known, numbers: [] }, []);
    }),
    hearer: hearExchanges({ ...parts, add: (note) => writer.add(note) }),
    store: parts.store,
    stop: () => writer.stop(),
  };
}

/** Watching changes nothing of what a script is told. */
function harmless(
  onTrouble: (error: unknown) => void,
): <Facts extends unknown[]>(watch: (...facts: Facts) => void) => (...facts: Facts) => void {
  return (watch) =>
    (...facts) => {
      try {
        watch(...facts);
      } catch (error) {
        onTrouble(error);
      }
    };
}

/** An order's notes by what it is known by: its number, the id that v1 has, v1's reference. */
export function keysOfOrder(
  { owner, number, requestId, reference }: { owner: string; number: number; requestId: string; reference: string | undefined },
  keyring: Pick<Keyring, 'hash'>,
): readonly LookUpKey[] {
  const ids = [keyOfOrder(owner, number, keyring), keyring.hash(JSON.stringify(['sent', owner, requestId]))];
  return reference === undefined ? ids : [...ids, keyring.hash(JSON.stringify(['reference', owner, reference]))];
}

function keyOfOrder(owner: string, number: number, keyring: Pick<Keyring, 'hash'>): LookUpKey {
  return keyring.hash(JSON.stringify(['order', owner, number]));
}

/** Refused requests by the id that their script sent. */
export function keyOfSentId(id: string, keyring: Pick<Keyring, 'hash'>): LookUpKey {
  return keyring.hash(JSON.stringify(['id', id]));
}

/** The numbers that a request is about, whether or not it could be read any further. */
function numbersAsked(
  request: LegacyRequest,
  operation: Operation,
  parameters: Served['parameters'] = {},
): readonly KindOfNumber[] {
  return operation.fields.flatMap((field) => {
    const [raw] = readRaw(request, field);
    const value = parameters[field.name] ?? raw?.value;
    const text = value === undefined || value === null ? '' : textOf(value as JsonValue);
    // A broken script may send its key in any field.
    const isKey = (number: string): boolean => looksLikeKey(number) || isInCredentials(number, request.headers);
    return numbersOf(field.as, text.slice(0, TEXT_MAX)).filter((number) => !isKey(number.text));
  });
}

function refusedNoteOf(
  request: LegacyRequest,
  served: Served,
  numbers: readonly KindOfNumber[],
): Omit<RefusedNote, 'kind' | 'atMs'> {
  const { operation, format, family, fingerprint, refusal, reply, order, outcome } = served;
  const told = withoutKeys(sentenceIn(reply), request.headers);
  const id = order.requestId;
  const requestId = id === undefined ? undefined : withoutKeys(id.slice(0, ID_MAX), request.headers);
  const known = { operation, format, family, owner: fingerprint, requestId };
  return {
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    ...{ address: request.clientAddress, method: request.method, path: showPath(request.path, request.headers) },
    numbers: numbers.map(({ text }) => text),
    code: refusal?.code ?? outcome,
    detail: refusal === undefined ? told : withoutKeys(cut(refusal.detail), request.headers),
    told,
    http: reply.status,
  };
}

/** A refusal repeats what a script sent in a field, which may be its key or its PIN. */
function withoutKeys(text: string, headers: LegacyHeaders): string {
  const isKey = (word: string): boolean => word.length >= KEY_PART_MIN && (isInCredentials(word, headers) || looksLikeKey(word));
  return text.replace(/[\w.+/=-]+/g, (word) => (isKey(word.replace(/[.]+$/, '')) ? NOT_KEPT : word));
}

/** The text that a reply tells: the longest sentence in it. Names of fields are the mapping's affair, and a sentence is no token. */
function sentenceIn({ body }: LegacyReply): string {
  const texts = Object.values(body as Readonly<Record<string, JsonValue>>).flatMap((value): readonly JsonValue[] =>
    isList(value) ? value : [value],
  );
  const sentences = texts.filter((text) => typeof text === 'string').filter((text) => /[A-Za-z]{2,} [A-Za-z]/.test(text));
  return cut(sentences.sort((one, other) => other.length - one.length)[0] ?? '');
}

/** Gives how many were left out before this one, or undefined where this one is left out as well. */
function createLimit(clock: Pick<Clock, 'now'>): (sender: string) => number | undefined {
  const senders = createLru<string, { minute: number; count: number; skipped: number }>(SENDERS_MAX);
  return (sender) => {
    const minute = Math.floor(clock.now() / 60_000);
    const known = senders.get(sender) ?? { minute, count: 0, skipped: 0 };
    if (known.minute !== minute) Object.assign(known, { minute, count: 0 });
    known.count += 1;
    senders.set(sender, known);
    if (known.count > REFUSED_IN_MINUTE_MAX) {
      known.skipped += 1;
      return undefined;
    }
    const { skipped } = known;
    known.skipped = 0;
    return skipped;
  };
}

/** Batches to the store. */
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
  }

  add(note: KeyedNote): void {
    // What does not fit is lost: notes are for people, and no sale waits for them.
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
    // A call to v1 that the end of the process cuts off comes after this.
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
      if (!this.#isTroubled) this.#parts.onTrouble(error);
      this.#isTroubled = true;
    }
  }
}
