/**
 * Which order a request without an id of its own repeats: of the same key and content (or of the same words, where the mapping, the
 * price list or the build has changed since and makes another content of them), while that one has no end, or an end
 * that its script cannot have heard. A script that hangs up sends its sale once more, and not always with its id; to sell it
 * again would be a second charge for one intent (decision 0024).
 */
import type { NewOrder, Order } from '../../domain/order';
import type { Journal } from '../../journal/journal';
import { isUnsettled, isUntold } from '../../journal/order-life';
import { isPerhapsUntold } from '../../journal/told-sales';
import type { Pursuits } from './pursuits';
import type { SentRequestId } from '../read/read-raw';
import { createContents, keptOf, keyOf, wordingOf, type Contents, type KeptRepeat } from './kept-repeats';
import { createLook, type LookParts } from './look-for-unheard';
import { createStartNamed, type KnownWords } from './start-named';
import { GatewayError } from '../../domain/errors';

export interface Repeats {
  /**
   * Starts the order, under the id of the one that it repeats if there is one. With an id of its own it is another intent.
   * Requests of the same content without one take their turns, so that two at once meet. `isOfPins`: goods without a number, of which two
   * customers buy the same. What a script still waits for is then no other script's sale.
   */
  join<T>(order: NewOrder, sent: SentRequestId | undefined, windowMs: number, start: Start<T>, isOfPins?: boolean): Promise<T>;
  /**
   * The order of this key and these words of which its script has heard no end: what a request without an id repeats that is refused now.
   * `unread` where the journal does not show just now whether one that is known here is such an order.
   */
  findUnheard(owner: string, askedHash: string, windowMs: number): Promise<Order | typeof UNREAD | undefined>;
}

/** What several processes that serve as one know of repeats together; one that is alone knows it itself. */
export interface SharedRepeats {
  /** One work at a time on a content, over all processes. It is told what the others have kept of that content. */
  inTurn<T>(content: string, work: (kept: readonly KeptRepeat[]) => Promise<T>): Promise<T>;
  keep(content: string, kept: KeptRepeat, windowMs: number): void;
}

type Start<T> = (order: NewOrder, standing: Standing) => Promise<T>;

/**
 * `again`: its own id came before. `unread`: it may repeat an order that is known here, and that the journal does not show just now. Nothing may
 * be sent for it.
 */
export type Standing = 'new' | 'again' | 'repeat' | 'unread';

interface Found {
  readonly requestId?: string;
  readonly isUnread?: boolean;
}

export interface RepeatsParts extends LookParts {
  readonly journal: Pick<Journal, 'find' | 'listUnsettled' | 'listUntold' | 'listOfOwner'>;
  readonly pursuits: Pick<Pursuits, 'find'>;
  readonly sharedRepeats?: SharedRepeats | undefined;
}

/** By key and words, for the time around a change of the mapping; memory for more would be for nothing the rest of the day. */
const WORDINGS_MAX = 5_000;
export const UNREAD = 'unread' as const;

export function createRepeats({ journal, pursuits, clock, sharedRepeats: shared, told }: RepeatsParts): Repeats {
  const contents = createContents(clock);
  const wordings = createContents(clock, WORDINGS_MAX);
  const look = createLook({ journal, clock, told }, { contents, wordings });
  const inTurn = createTurns();
  const { current, isUnheardYet, unheardOf } = readersOf({ journal, pursuits, clock, told });

  const ageOf = ({ openedAtMs }: NewOrder): number => Math.max(0, clock.now() - openedAtMs);
  const keep = (order: NewOrder, windowMs: number, agoMs = ageOf(order)): void => {
    const [key, kept] = [keyOf(order.owner, order.contentHash), { ...keptOf(order), agoMs }];
    contents.keep(key, kept, windowMs);
    wordings.keep(wordingOf(order), kept, windowMs);
    shared?.keep(key, kept, windowMs);
  };

  /** What was refused is not kept: nothing of it was sent, and nobody can repeat it. */
  const startNew = async <T>(order: NewOrder, windowMs: number, start: Start<T>): Promise<T> => {
    const [agoMs, beganAtMs] = [ageOf(order), clock.elapsed()];
    const started = await start(order, 'new');
    keep(order, windowMs, agoMs + clock.elapsed() - beganAtMs);
    return started;
  };

  /** The newest that it can be a repeat of. Rejects where nobody can tell: what is sold then may be sold twice. */
  const find = async (order: NewOrder, sent: SentRequestId | undefined, windowMs: number, isOfPins: boolean): Promise<Found> => {
    const { owner } = order;
    const underHeader = sent === undefined ? undefined : await current(owner, sent.id).catch(() => UNREAD);
    if (underHeader !== undefined && underHeader !== UNREAD) return {};
    const looked = await look(owner, windowMs).catch((error: unknown) => ({ error }));
    let isUnread = false;
    for (const kept of repeatable(order, windowMs, contents, wordings)) {
      if (sent !== undefined && kept.headerId !== sent.id) continue;
      const earlier = await current(owner, kept.requestId).catch(() => UNREAD);
      if (earlier === undefined || (earlier !== UNREAD && isReadOtherwise(earlier, order))) continue;
      if (earlier !== UNREAD && sent === undefined && isOfPins && (await isWaitedFor(earlier, pursuits))) continue;
      // A header that names the same sending says that it is the same, also when its end was told or cannot be read.
      const isRepeat = sent !== undefined || (earlier === UNREAD ? UNREAD : await isUnheardYet(earlier));
      if (isRepeat === true) return { requestId: kept.requestId };
      if (isRepeat === UNREAD) isUnread = true;
    }
    if (isUnread) return { isUnread };
    // An id of which the journal cannot tell is not refused but told as pending, where the order is opened.
    if (looked !== undefined && underHeader !== UNREAD) throw looked.error;
    return {};
  };

  const startNamed = createStartNamed({ look, keep, ...knownWords(wordings, unheardOf) });

  return {
    join(order, sent, windowMs, start, isOfPins = false) {
      if (sent !== undefined && Object.keys(sent.echo).length > 0) return startNamed(order, windowMs, start);
      const content = keyOf(order.owner, order.contentHash);
      const work = async (others: readonly KeptRepeat[]): ReturnType<typeof start> => {
        for (const kept of others) contents.add(content, kept, windowMs);
        const { requestId, isUnread } = await find(order, sent, windowMs, isOfPins).catch((cause: unknown) => {
          throw new GatewayError('journal_unavailable', undefined, { cause });
        });
        if (requestId !== undefined) return start({ ...order, requestId }, 'repeat');
        return isUnread === true ? start(order, 'unread') : startNew(order, windowMs, start);
      };
      return inTurn(content, () => (shared === undefined ? work([]) : shared.inTurn(content, work)));
    },
    findUnheard(owner, askedHash, windowMs) {
      const kept = () => wordings.of(keyOf(owner, askedHash)).filter(({ agoMs }) => agoMs <= windowMs);
      return firstUnheard(look(owner, windowMs), kept, (requestId) => unheardOf(owner, requestId));
    },
  };
}

/** How an order stands. What nobody can tell just now is `unread`. */
function readersOf({ journal, pursuits, clock, told }: RepeatsParts) {
  const current = async (owner: string, requestId: string): Promise<Order | undefined> =>
    (await pursuits.find(owner, requestId))?.current() ?? journal.find(owner, requestId);
  const isUnheardYet = async (order: Order): Promise<boolean | typeof UNREAD> =>
    isUnheard(order) || isPerhapsUntold(order, told, clock.now()).catch(() => UNREAD);
  const unheardOf = async (owner: string, requestId: string): Promise<Order | typeof UNREAD | undefined> => {
    const order = await current(owner, requestId).catch(() => UNREAD);
    if (order === UNREAD || order === undefined) return order;
    const isYet = await isUnheardYet(order);
    return isYet === true ? order : isYet === UNREAD ? UNREAD : undefined;
  };
  return { current, isUnheardYet, unheardOf };
}

/** What is kept of the same content, then of the same words. */
function repeatable(order: NewOrder, windowMs: number, contents: Contents, wordings: Contents): readonly KeptRepeat[] {
  const alike = contents.of(keyOf(order.owner, order.contentHash));
  const others = wordings.of(wordingOf(order)).filter((one) => !alike.some(({ requestId }) => requestId === one.requestId));
  return [...alike, ...others].filter(({ agoMs }) => agoMs <= windowMs);
}

function knownWords(
  wordings: Contents,
  unheardOf: (owner: string, requestId: string) => Promise<Order | typeof UNREAD | undefined>,
): Pick<KnownWords, 'idsOf' | 'isUnheard'> {
  return {
    idsOf: (order, windowMs) =>
      wordings.of(wordingOf(order)).flatMap(({ requestId, agoMs }) => (agoMs <= windowMs ? [requestId] : [])),
    isUnheard: async (owner, requestId) => {
      const order = await unheardOf(owner, requestId);
      return order !== undefined && order !== UNREAD;
    },
  };
}

/** What is known here counts also where the journal could not be looked through; rejects where that failed and nothing is known. */
async function firstUnheard(
  looking: Promise<void>,
  kept: () => readonly KeptRepeat[],
  unheardOf: (requestId: string) => Promise<Order | typeof UNREAD | undefined>,
): Promise<Order | typeof UNREAD | undefined> {
  await looking.catch(() => undefined);
  let isUnread = false;
  for (const { requestId } of kept()) {
    const earlier = await unheardOf(requestId);
    if (earlier === UNREAD) isUnread = true;
    else if (earlier !== undefined) return earlier;
  }
  return isUnread ? UNREAD : looking.then(() => undefined);
}

/**
 * The same words are another sale under the same mapping where a header says that the numbers in them are another format's. Where the
 * mapping, the price list or the build has changed in between, that is why they are another content.
 */
function isReadOtherwise(earlier: Order, order: NewOrder): boolean {
  const isOfOtherFormat = earlier.format !== order.format && earlier.trail?.mapping === order.trail?.mapping;
  return earlier.contentHash !== order.contentHash && isOfOtherFormat;
}

/** Without an end, or with one of which no script has heard. One that heard "pending" may have sold it, and sells the next. */
function isUnheard(order: Order): boolean {
  return isUnsettled(order) || isUntold(order);
}

/** Here, or at another process: whoever hung up, was told pending, or was left by a process that died, has its mark in the journal. */
async function isWaitedFor(order: Order, pursuits: RepeatsParts['pursuits']): Promise<boolean> {
  return (await pursuits.find(order.owner, order.requestId))?.isAwaited ?? order.toldAtMs === undefined;
}

/** Work under one name is done one after another. */
export function createTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const before = last.get(name);
    const mine = before === undefined ? work() : before.then(work, work);
    last.set(name, mine);
    const forget = (): void => {
      if (last.get(name) === mine) last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  };
}
