/** What scripts asked for and what they were told, order by order: the evidence that the invariants are judged by. */
import type { Outcome } from '../../../src/domain/outcome';
import type { JsonObject } from '../../../src/domain/json';
import type { Content } from '../script/sale';

/** `unanswered` is a status query that says nothing of the order. */
export type Word = 'success' | 'pending' | 'failure' | 'unanswered';

/** One purchase as a script sent it. */
export interface Purchase {
  readonly content: Content;
  readonly process: string;
  readonly startedAt: number;
  endedAt?: number;
  /** When its journal write became durable, if it came to one. */
  openedAt?: number;
}

/** One reply that a script saw. */
export interface Telling {
  readonly startedAt: number;
  readonly at: number;
  readonly process: string;
  readonly how: 'purchase' | 'status';
  /** The sale that was asked for; a status query asks for whatever the order is. */
  readonly content: Content | undefined;
  readonly word: Word;
  readonly http: number;
  /** Of a refusal. */
  readonly code: string | undefined;
  readonly body: JsonObject;
}

/** One order: everything under one request id of one key. */
export interface Case {
  readonly name: string;
  readonly owner: string;
  readonly walletId: string;
  /** As v1 gets it. Unknown for an order without an id of the script's until the gateway has made one. */
  requestId: string | undefined;
  /** The script sends no id. */
  readonly isNameless: boolean;
  /** Of a sale without an id of the script's, which the gateway took more than once. */
  readonly earlierIds: string[];
  /** Of a sale without an id: the sale of the very same before it, which its script was told of. */
  previous?: Case;
  /** That it was told could not be written down, when it was or before its process died. */
  isTellingLost: boolean;
  readonly contents: Map<string, Content>;
  /** Sold under this id past the gateway. */
  soldBefore?: Content;
  readonly purchases: Purchase[];
  readonly tellings: Telling[];
  /** Its scripts keep or sell what is pending: it may be bought when nobody waits any more. */
  mayBeBoughtLater: boolean;
  /** When each attempt left for v1. */
  readonly leftAt: number[];
  /** What the gateway heard of each attempt, by the time it heard it. */
  readonly heard: HeardOfV1[];
  /** Calls that are on their way to v1 or back. */
  inFlight: number;
  /** When the gateway hears of its last durable write: until then it knows less than the disk. */
  toldOfWriteAt: number;
  /** Its times in the journal are from a clock that was wrong. */
  isMistimed: boolean;
  /** Something went wrong around it, so that the gateway may rightly not know its fate. */
  isDoubtful: boolean;
}

/** An answer of v1 to an attempt, or that none came. */
export interface HeardOfV1 {
  readonly at: number;
  readonly kind: Outcome['kind'];
  readonly isDuplicate: boolean;
  readonly httpStatus: number | undefined;
}

export interface ReceiptAsked {
  readonly at: number;
  readonly readAt: number | undefined;
  /** Of the order's own pursuit. */
  readonly isOfPursuit: boolean;
}

export interface Violation {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

export class CaseBook {
  readonly cases: Case[] = [];
  readonly violations: Violation[] = [];
  /** Keys of which a question to v1 went wrong. */
  readonly doubtfulOwners = new Set<string>();
  /** By reference: when its receipt was asked for, and when the answer was there if one came. */
  readonly receipts = new Map<string, ReceiptAsked[]>();
  /** By owner: when a question was asked that got no usable answer. */
  readonly unanswered = new Map<string, number[]>();
  readonly #byId = new Map<string, Case>();
  readonly #nameless = new Map<string, Case>();

  /** The case of a request id, opened when it is new. */
  withId(owner: string, walletId: string, requestId: string, name: string): Case {
    const key = `${owner} ${requestId}`;
    const known = this.#byId.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(owner, walletId, requestId, name);
    this.#byId.set(key, opened);
    return opened;
  }

  /** The case of a sale without a request id; its number is its own. */
  withoutId(owner: string, walletId: string, number: string, name: string): Case {
    const opened = this.#open(owner, walletId, undefined, name);
    this.#nameless.set(`${owner} ${number}`, opened);
    return opened;
  }

  find(owner: string, requestId: string): Case | undefined {
    return this.#byId.get(`${owner} ${requestId}`);
  }

  /** The gateway made an id for a sale that came without one. */
  name(owner: string, number: string, requestId: string): Case | undefined {
    const nameless = this.#nameless.get(`${owner} ${number}`);
    if (nameless === undefined) return undefined;
    if (nameless.requestId !== undefined) nameless.earlierIds.push(nameless.requestId);
    nameless.requestId = requestId;
    this.#byId.set(`${owner} ${requestId}`, nameless);
    return nameless;
  }

  /** A purchase leaves this process. Once no script waits for the order there, most have refunded it. */
  leave(subject: Case, process: string, at: number): void {
    subject.leftAt.push(at);
    // The next sale of the very same waits for it, where nobody knows that this one was told.
    const awaiting = this.cases.filter((one) => one === subject || one.previous === subject);
    const isAwaited = awaiting.some(({ purchases }) => purchases.some((one) => isUnderWayAt(one, process)));
    if (isAwaited || subject.mayBeBoughtLater) return;
    this.violate('nothing is bought after pending was told', subject.name, `${process} sends it, and no script waits for it`);
  }

  /** What was told cannot be read at this process: nobody knows there whether a sale is a repeat, and it is told as pending. */
  doubtUnderWayAt(process: string): void {
    for (const subject of this.cases) if (subject.purchases.some((one) => isUnderWayAt(one, process))) subject.isDoubtful = true;
  }

  /** A question of this key got no usable answer. */
  doubt(owner: string, askedAt: number): void {
    this.doubtfulOwners.add(owner);
    this.unanswered.set(owner, [...(this.unanswered.get(owner) ?? []), askedAt]);
  }

  noteReceipt(reference: string, asked: ReceiptAsked): void {
    this.receipts.set(reference, [...(this.receipts.get(reference) ?? []), asked]);
  }

  violate(invariant: string, subject: string, detail: string): void {
    this.violations.push({ invariant, subject, detail });
  }

  #open(owner: string, walletId: string, requestId: string | undefined, name: string): Case {
    const opened: Case = {
      name,
      owner,
      walletId,
      requestId,
      isNameless: requestId === undefined,
      earlierIds: [],
      contents: new Map(),
      purchases: [],
      tellings: [],
      mayBeBoughtLater: false,
      leftAt: [],
      heard: [],
      inFlight: 0,
      toldOfWriteAt: 0,
      isTellingLost: false,
      isMistimed: false,
      isDoubtful: false,
    };
    this.cases.push(opened);
    return opened;
  }
}

function isUnderWayAt(purchase: Purchase, process: string): boolean {
  return purchase.process === process && purchase.endedAt === undefined;
}

/** The word of a reply, by the two fields that scripts read; undefined when they contradict each other. */
export function wordOf(http: number, body: JsonObject): Word | undefined {
  const { status, Status, error } = body;
  const hasError = error !== undefined && error !== null;
  if (status === 'success' && Status === 'successful' && !hasError) return 'success';
  // `processing` in both is format C's.
  if ((status === 'pending' || status === 'processing') && Status === 'processing' && !hasError && body['success'] === undefined)
    return http === 202 ? 'unanswered' : 'pending';
  return status === 'fail' && Status === 'failed' && hasError && (body['id'] ?? null) === null ? 'failure' : undefined;
}
