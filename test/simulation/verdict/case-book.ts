/** What scripts asked for and were told, order by order: the evidence for the invariants. */
import type { Outcome } from '../../../src/domain/outcome';
import type { JsonObject } from '../../../src/domain/json';
import type { Content } from '../script/content';
import type { TakesPending } from '../script/sale';

/** `unanswered`: a status query whose reply says nothing about the order. */
export type Word = 'success' | 'pending' | 'failure' | 'unanswered';

/** One purchase as a script sent it. */
export interface Purchase {
  readonly script: string;
  readonly content: Content;
  readonly process: string;
  readonly startedAt: number;
  /** When the gateway began to read it; undefined while it waits. */
  begunAt?: number;
  endedAt?: number;
  /** When the journal write became durable; undefined if it never did. */
  openedAt?: number;
}

/** One reply that a script saw. */
export interface ScriptReply {
  readonly script: string;
  readonly startedAt: number;
  readonly at: number;
  readonly process: string;
  readonly how: 'purchase' | 'status';
  /** The sale that was asked for; undefined for a status query, which asks for the order as it is. */
  readonly content: Content | undefined;
  readonly word: Word;
  readonly http: number;
  /** The error code of a refusal. */
  readonly code: string | undefined;
  readonly body: JsonObject;
}

/** One order: all requests under one request id of one key. */
export interface Case {
  readonly name: string;
  readonly owner: string;
  readonly walletId: string;
  /** The id that v1 gets. For an order without an id of the script's, undefined until the gateway has made one. */
  requestId: string | undefined;
  /** Whether the script sends no id. */
  readonly isNameless: boolean;
  /** More than one where customers buy PINs whom nothing tells apart. */
  customers: number;
  /** For a sale without an id that the gateway took more than once: the ids of its earlier orders. */
  readonly earlierIds: string[];
  /** For a sale without an id: the earlier sale of the same content, which its script was told of. */
  previous?: Case;
  /** True when the journal could not note that the order was told, at once or before the process died. */
  isTellingLost: boolean;
  /** When the order got its end in the journal, by the right time. */
  endedAt: number;
  /** True when a repeat came while no table had room for all orders of which no script had heard. */
  isPushedOut: boolean;
  /** True when the journal has not noted a "pending" that a script heard. */
  isPendingLost: boolean;
  readonly contents: Map<string, Content>;
  /** The sale under this id without the gateway. */
  soldBefore?: Content;
  readonly purchases: Purchase[];
  readonly replies: ScriptReply[];
  /** What its scripts do with a pending sale. */
  takesPending: TakesPending;
  /** The scripts keep or sell what is pending, so the order may be bought while no script waits. */
  mayBeBoughtLater: boolean;
  /** When each attempt was sent to v1. */
  readonly leftAt: number[];
  /** The results of the attempts, in the order in which the gateway got them. */
  readonly heard: HeardOfV1[];
  /** How many calls are on their way to v1 or back. */
  inFlight: number;
  /** When the gateway gets the result of its last durable write. Until then its state is older than the disk's. */
  toldOfWriteAt: number;
  /** The order's times in the journal come from a wrong clock. */
  isMistimed: boolean;
  /** True when a fault around the order excuses the gateway from knowing its outcome. */
  isDoubtful: boolean;
}

/** v1's answer to an attempt, or the absence of an answer. */
export interface HeardOfV1 {
  readonly at: number;
  readonly kind: Outcome['kind'];
  readonly isDuplicate: boolean;
  readonly httpStatus: number | undefined;
}

export interface ReceiptAsked {
  readonly at: number;
  readonly readAt: number | undefined;
  /** Whether the order's own pursuit asked. */
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
  /** Fingerprints of keys for which a question to v1 went wrong. */
  readonly doubtfulOwners = new Set<string>();
  /** A question for v1's price list had no answer. */
  wasListAway = false;
  /** By reference: when its receipt was asked for, and when the answer came, if one did. */
  readonly receipts = new Map<string, ReceiptAsked[]>();
  /** By owner: when the questions without a usable answer were asked. */
  readonly unanswered = new Map<string, number[]>();
  /** When the keys sold in the sandbox; the last time may have no end yet. */
  readonly tries: { readonly fromMs: number; untilMs: number }[] = [];
  readonly #byId = new Map<string, Case>();
  readonly #nameless = new Map<string, Case>();

  /** Returns the case of a request id, and makes the case if the id is new. */
  withId(owner: string, walletId: string, requestId: string, name: string): Case {
    const key = `${owner} ${requestId}`;
    const known = this.#byId.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(owner, walletId, requestId, name);
    this.#byId.set(key, opened);
    return opened;
  }

  /** Makes the case of a sale without a request id, known by its number. */
  withoutId(owner: string, walletId: string, number: string, name: string): Case {
    const opened = this.#open(owner, walletId, undefined, name);
    this.#nameless.set(`${owner} ${number}`, opened);
    return opened;
  }

  find(owner: string, requestId: string): Case | undefined {
    return this.#byId.get(`${owner} ${requestId}`);
  }

  /** Notes the id that the gateway made for a sale without one. */
  name(owner: string, number: string, requestId: string): Case | undefined {
    const nameless = this.#nameless.get(`${owner} ${number}`);
    if (nameless === undefined) return undefined;
    if (nameless.requestId !== undefined) nameless.earlierIds.push(nameless.requestId);
    nameless.requestId = requestId;
    this.#byId.set(`${owner} ${requestId}`, nameless);
    return nameless;
  }

  /** The next sale of the same joins an order that an earlier request left open beside the sold one: it is the order of the next sale. */
  handOn(subject: Case, process: string, joined: string): void {
    const next = this.cases.find(({ previous, requestId }) => previous === subject && requestId === undefined);
    if (next === undefined || subject.requestId === undefined || subject.earlierIds.length === 0) return;
    if (!next.purchases.some((one) => isUnderWayAt(one, process))) return;
    this.#byId.set(`${next.owner} ${joined}`, next);
    next.requestId = joined;
    const left = [...subject.earlierIds, subject.requestId].filter((id) => id !== joined);
    subject.requestId = left.pop();
    subject.earlierIds.splice(0, Infinity, ...left);
  }

  /** A purchase leaves this process. Once no script waits there, most scripts have refunded the order. */
  leave(subject: Case, process: string, at: number): void {
    subject.leftAt.push(at);
    // A script that sells the same content again waits for this order too, when the gateway may not know that this one was told.
    const awaiting = this.cases.filter((one) => one === subject || one.previous === subject);
    const isAwaited = awaiting.some(({ purchases }) => purchases.some((one) => isUnderWayAt(one, process)));
    if (isAwaited || subject.mayBeBoughtLater) return;
    this.violate('nothing is bought after pending was told', subject.name, `${process} sends it, and no script waits for it`);
  }

  /** Excuses the sales in progress at this process. It cannot read which sales were told, so it cannot recognise repeats and tells them as pending. */
  doubtUnderWayAt(process: string): void {
    for (const subject of this.cases) if (subject.purchases.some((one) => isUnderWayAt(one, process))) subject.isDoubtful = true;
  }

  /** Notes a question of this key without a usable answer. */
  doubt(owner: string, askedAt: number): void {
    this.doubtfulOwners.add(owner);
    this.unanswered.set(owner, [...(this.unanswered.get(owner) ?? []), askedAt]);
  }

  noteReceipt(reference: string, asked: ReceiptAsked): void {
    this.receipts.set(reference, [...(this.receipts.get(reference) ?? []), asked]);
  }

  /** Whether the keys were in the sandbox at some moment between these two. */
  wasTriedOut(fromMs: number, untilMs: number): boolean {
    return this.tries.some((one) => one.fromMs <= untilMs && one.untilMs >= fromMs);
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
      customers: 1,
      earlierIds: [],
      contents: new Map(),
      purchases: [],
      replies: [],
      takesPending: 'unknown',
      mayBeBoughtLater: false,
      leftAt: [],
      heard: [],
      inFlight: 0,
      toldOfWriteAt: 0,
      isTellingLost: false,
      endedAt: Infinity,
      isPushedOut: false,
      isPendingLost: false,
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

/** The status word of a reply, by the two fields that scripts read; undefined when they contradict each other. */
export function wordOf(http: number, body: JsonObject): Word | undefined {
  const { status, Status, error } = body;
  const hasError = error !== undefined && error !== null;
  if (status === 'success' && Status === 'successful' && !hasError) return 'success';
  // Format C has `processing` in both fields.
  if ((status === 'pending' || status === 'processing') && Status === 'processing' && !hasError && body['success'] === undefined)
    return http === 202 ? 'unanswered' : 'pending';
  // Refused while the journal cannot be read: it is not said whether the same was charged before.
  if (http === 503 && status === 'pending' && Status === 'process' && hasError && (body['id'] ?? null) === null)
    return 'unanswered';
  return status === 'fail' && Status === 'failed' && hasError && (body['id'] ?? null) === null ? 'failure' : undefined;
}
