/**
 * Finds the order that a request without an id in a field repeats: an order of the same key and content whose end no script has heard. The
 * words as sent count like the content, because the mapping, the price list or the build may have changed in between. A script that hangs up
 * sends its sale again, and not always with its id. Selling that again would be a second charge for one intent (decision 0024).
 */
import type { Line } from '../../domain/legacy';
import { isToldAtSettling, isToldLater, type NewOrder, type Order } from '../../domain/order';
import type { Told } from '../../journal/told-sales';
import { generateRequestId, hasFieldId, namesItsSale, type SentRequestId } from '../read/read-raw';
import { createContentTurns, type SharedRepeats } from './content-turns';
import {
  createKnownOrders,
  holdNames,
  keepBy,
  keyOf,
  type KeptRepeat,
  type KnownOrders,
  repeatable,
  type Repeatable,
  wordingOf,
} from './kept-repeats';
import { createFindUnheard, type FindUnheard } from './find-unheard';
import { createLook, type LookParts } from './look-for-unheard';
import { createNamedRepeats, type KnownWords } from './named-repeats';
import {
  type Candidate,
  likeliest,
  likelyCharged,
  type EarlierOrder,
  type ReadParts,
  type RepeatedOf,
  readersOf,
  UNREAD,
  wasNamed,
} from './read-earlier';
import { createTellings, type Tellings } from './tellings';
import { unreadRefusal } from '../../domain/errors';
import { isRefusal } from '../../domain/outcome';

export interface Repeats extends Pick<Tellings, 'heardUnder'> {
  /**
   * Resolves when the order may start. Orders of the same content without an id in a field take turns, so that two at once find each other.
   * `windowMs`: how old an order may be that is repeated. Rejects with an unread refusal where waiting cannot show what the request repeats, and with
   * another error where the journal cannot be read now.
   */
  takeTurn(order: NewOrder, sent: SentRequestId | undefined, windowMs: number, sale: WaitingSale): Promise<SaleTurn>;
  readonly findUnheard: FindUnheard;
  /** The sets of mappings that have read the key's orders which may be repeated. */
  setsOf(owner: string, windowMs: number): readonly string[];
  /**
   * A script has got the whole reply with the success of this order, or with "pending". One that refunds what is pending sends the sale again, perhaps
   * after more sales than the table of all sales holds.
   */
  noteTold(order: Order, told: Told, windowMs: number): void;
}

interface Sale {
  /** PINs name no customer: an order that a script still waits for, or is being told, is another customer's sale and is not repeated. */
  readonly isOfPins: boolean;
  /** Whether the words are those of this order without its id. */
  readonly isWithoutIdOf: (order: Order) => boolean;
  /** The script refunds its customer when it hears "pending". */
  readonly isRefundedPending: boolean;
  readonly line: Line;
}

interface WaitingSale extends Sale {
  /** How long the script still waits. */
  readonly leftMs: () => number;
}

interface FoundSale {
  /** The order with the id under which it starts: that of the order that it repeats, if there is one. */
  readonly order: NewOrder;
  readonly repeatKind: RepeatKind;
}

export interface SaleTurn extends FoundSale {
  /** Ends the turn. Call it once: when the order has started, or is refused. */
  readonly end: (isStarted: boolean) => void;
}

/**
 * `first`: the request repeats no known order. `again`: its own id came before. `joined`: it has got the id of the order that it repeats.
 * `unread`: it may repeat an order that the journal cannot show now or does not have yet, so nothing may be sent for it.
 */
export type RepeatKind = 'first' | 'again' | 'joined' | 'unread';

interface RepeatsParts extends LookParts, Omit<ReadParts, 'tellings'> {
  readonly journal: LookParts['journal'] & ReadParts['journal'];
  readonly sharedRepeats?: SharedRepeats | undefined;
}

export function createRepeats(parts: RepeatsParts): Repeats {
  const { clock, steadiness, sharedRepeats: shared, toldSales } = parts;
  const known = createKnownOrders(clock);
  const { contents } = known;
  const look = createLook(parts, known);
  const takeContentTurn = createContentTurns(shared);
  const tellings = createTellings(clock);
  const readers = readersOf({ ...parts, tellings });
  const { repeatedOf } = readers;
  const find = createFind({ known, look, readers, tellings, clock });
  const keepAtEnd = createKeeping(known, { clock, steadiness, sharedRepeats: shared });

  const isAlone = (): boolean => toldSales?.() === undefined;
  const findNamed = createNamedRepeats({ look, ...knownWords(known, repeatedOf), isAlone, clock });

  return {
    async takeTurn(order, sent, windowMs, { leftMs, ...sale }) {
      if (hasFieldId(sent)) {
        const named = await findNamed(order, windowMs);
        return { ...named, end: ['first', 'again'].includes(named.repeatKind) ? keepAtEnd(order, windowMs) : () => undefined };
      }
      const content = keyOf(order.owner, order.contentHash);
      const { kept, end } = await takeContentTurn(content, leftMs);
      const names = { contentHash: order.contentHash, wordsHash: order.wordsHash ?? order.contentHash, headerId: sent?.id };
      const release = holdNames(known, order.owner, names);
      try {
        for (const one of kept ?? []) contents.add(content, one, windowMs);
        const { order: found, repeatKind } = await find(order, sent, windowMs, sale);
        if (repeatKind === 'joined') {
          tellings.begin(found, sale.line);
          return { order: found, repeatKind, end };
        }
        if (repeatKind === 'unread' || kept === undefined) return { order, repeatKind: 'unread', end };
        return { order: found, repeatKind, end: keepAtEnd(found, windowMs, end) };
      } catch (cause) {
        end();
        throw cause;
      } finally {
        release();
      }
    },
    findUnheard: createFindUnheard({ known, look, repeatedOf }),
    setsOf: known.setsOf,
    heardUnder: tellings.heardUnder,
    noteTold(order, told, windowMs) {
      if (told === 'success') tellings.noteHeard(order);
      else keepBy('addUnheard', known, order, steadiness.agoMs(order.openedAtMs), windowMs);
    },
  };
}

/** Gives the end of a turn that keeps the order. A refused order was not sent, so it has no repeat. */
function createKeeping(
  known: KnownOrders,
  { clock, steadiness, sharedRepeats }: Pick<RepeatsParts, 'clock' | 'steadiness' | 'sharedRepeats'>,
) {
  return (order: NewOrder, windowMs: number, end = (): void => undefined): SaleTurn['end'] => {
    const [agoMs, beganAtMs] = [steadiness.agoMs(order.openedAtMs), clock.elapsed()];
    return (isStarted) => {
      if (isStarted) {
        const kept = keepBy('keep', known, order, agoMs + clock.elapsed() - beganAtMs, windowMs);
        sharedRepeats?.keep(keyOf(order.owner, order.contentHash), kept, windowMs);
      }
      end();
    };
  };
}

interface FindParts {
  readonly known: KnownOrders;
  readonly look: ReturnType<typeof createLook>;
  readonly readers: ReturnType<typeof readersOf>;
  readonly tellings: Tellings;
  readonly clock: RepeatsParts['clock'];
}

/** Gives the function that finds the order that a sale repeats. It rejects where that cannot be found out: the sale could then be a second charge. */
function createFind({ known, look, readers, tellings, clock }: FindParts) {
  const { current, remembered, ifUnheard, ifUnheardPins, unlessSoldOnPending, wasOpenAt, mayHaveWaited } = readers;
  /** The kept order where it may be the repeated one: because an id proves that (`isSame`), or because no script has heard of it. */
  const judge = async (
    kept: Repeatable,
    order: NewOrder,
    sent: SentRequestId | undefined,
    { isOfPins, isRefundedPending, isWithoutIdOf, line }: Sale,
  ): Promise<Candidate | undefined> => {
    const { requestId } = kept;
    const isHeard = (): boolean => tellings.heardUnder(order.owner, requestId) === (order.trail?.mapping ?? '');
    // Of the same PINs a shop may have sold hundreds: those are not read.
    if (isOfPins && sent === undefined && isHeard()) return undefined;
    const earlier = await remembered(order.owner, requestId);
    if (kept.isByHeader === true && earlier !== UNREAD && !isWithoutIdOf(earlier)) return undefined;
    const mayBeTaken = isOfPins && (earlier === UNREAD ? !namesItsSale(sent) : wasTaken(earlier, sent));
    const isUnderHeader = isNamedBy(sent, kept, earlier) && !mayBeTaken;
    if (isAnotherSale(earlier, kept, order, namesItsSale(sent) && !isUnderHeader)) return undefined;
    // Also if the end of the earlier order was told or cannot be read.
    if (isUnderHeader || (!isOfPins && wasNamed(earlier, order))) return { requestId, earlier, isSame: true };
    // Under another mapping it may be that order.
    if (earlier === UNREAD) return isHeard() ? undefined : { requestId, earlier };
    if (isOfPins) {
      const unheard = await ifUnheardPins(earlier, clock.elapsed() - line.ageMs, isRefundedPending);
      return unheard && { requestId, earlier: unheard };
    }
    const hasEndedSince = wasOpenAt(earlier, line.ageMs);
    const same =
      (await ifUnheard(earlier, isRefundedPending)) ?? (hasEndedSince ? await unlessSoldOnPending(earlier) : undefined);
    if (same === undefined && !hasEndedSince && mayHaveWaited(earlier, line))
      throw unreadRefusal('the request may have waited unread while another process sold the same');
    return same && { requestId, earlier: same };
  };

  return async (order: NewOrder, sent: SentRequestId | undefined, windowMs: number, sale: Sale): Promise<FoundSale> => {
    const { owner } = order;
    const { isOfPins, isRefundedPending } = sale;
    const underHeader = sent === undefined ? undefined : await current(owner, sent.id).catch(() => UNREAD);
    const isTaken = isOfPins && wasTaken(underHeader, sent);
    const again = underHeader !== undefined && underHeader !== UNREAD && !isTaken ? underHeader : undefined;
    // Beside an order that was refused, or never sent, another one under this header may be sold.
    if (again !== undefined && !isRefusal(again.outcome)) return { order, repeatKind: 'again' };
    const looked = await look(owner, windowMs, { isRefundedPending }).catch((error: unknown) => ({ error }));
    const candidates: Candidate[] = [];
    for (const kept of repeatable(order, sent, windowMs, known)) {
      const judged = await judge(kept, order, sent, sale);
      if (judged !== undefined) candidates.push(judged);
    }
    const same = candidates.filter(({ isSame }) => isSame === true);
    const named = await likeliest(same, ifUnheard);
    if (named === UNREAD) return { order, repeatKind: 'unread' };
    if (named !== undefined && named.requestId !== again?.requestId) return joined(order, named.requestId, sent?.id);
    if (again !== undefined && looked === undefined) return { order, repeatKind: 'again' };
    const charged = likelyCharged(candidates.map(({ earlier }) => earlier));
    if (charged === UNREAD) return { order, repeatKind: 'unread' };
    // PINs name no customer: by this header they would be told again, perhaps to another one's script.
    if (charged !== undefined) return joined(order, charged.requestId, isOfPins ? undefined : sent?.id);
    // PINs that another customer may have taken are neither told nor sold.
    if (underHeader === UNREAD && isOfPins && !namesItsSale(sent)) return { order, repeatKind: 'unread' };
    // A request whose header may be that of an order is not refused, but pending.
    if (looked !== undefined && underHeader === UNREAD) return { order, repeatKind: 'unread' };
    if (looked !== undefined) throw looked.error;
    // The PINs of the order under its own id were taken, so the sale gets another one.
    const own = isTaken ? withIds(order, generateRequestId(order.openedAtMs), sent?.id) : order;
    return { order: own, repeatKind: 'first' };
  };
}

/** The request under the id of the order that it repeats. That order is known by the header, too, from then on. */
function joined(order: NewOrder, requestId: string, headerId: string | undefined): FoundSale {
  return { order: withIds(order, requestId, headerId), repeatKind: 'joined' };
}

function withIds(order: NewOrder, requestId: string, headerId: string | undefined): NewOrder {
  return headerId === undefined ? { ...order, requestId } : { ...order, requestId, headerId };
}

/** Whether the sent id is that of the order, or of its header, as it was kept or as it is now. */
function isNamedBy(sent: SentRequestId | undefined, kept: KeptRepeat, earlier: EarlierOrder | undefined): boolean {
  if (sent === undefined) return false;
  return [kept.requestId, kept.headerId].includes(sent.id) || (earlier !== UNREAD && earlier?.headerId === sent.id);
}

/** Whether these PINs were told after their script had left. That may have been another customer's script, so a header that proxies write proves nothing. */
function wasTaken(earlier: EarlierOrder | undefined, sent: SentRequestId | undefined): boolean {
  if (earlier === undefined || earlier === UNREAD || namesItsSale(sent)) return false;
  return isToldLater(earlier) && !isToldAtSettling(earlier);
}

function knownWords(
  { contents, wordings }: KnownOrders,
  repeatedOf: RepeatedOf,
): Pick<KnownWords, 'idsOf' | 'hasCome' | 'isRepeated'> {
  const youngOf = (all: readonly KeptRepeat[], windowMs: number): readonly KeptRepeat[] =>
    all.filter(({ agoMs }) => agoMs <= windowMs);
  return {
    idsOf: (order, windowMs) => youngOf(wordings.of(wordingOf(order)), windowMs).map(({ requestId }) => requestId),
    hasCome: (order, windowMs) =>
      youngOf([...wordings.of(wordingOf(order)), ...contents.of(keyOf(order.owner, order.contentHash))], windowMs).some(
        ({ requestId, wasRefused }) => requestId === order.requestId && wasRefused !== true,
      ),
    isRepeated: async (order, requestId) => {
      const earlier = await repeatedOf(order, requestId);
      return earlier === UNREAD ? UNREAD : earlier !== undefined;
    },
  };
}

/**
 * Whether the request is certainly another sale. Under the same mapping another id is another sale (`namesItsSale`), and so are the same words with
 * another content: a header made the gateway read them in another format. If the mapping has changed in between, it may not have read that header, and if
 * only the content differs, the price list or the build has changed.
 */
function isAnotherSale(earlier: EarlierOrder, kept: KeptRepeat, order: NewOrder, hasOtherId: boolean): boolean {
  if (earlier === UNREAD) return hasOtherId && kept.mapping === order.trail?.mapping;
  const isReadOtherwise = earlier.contentHash !== order.contentHash && earlier.format !== order.format;
  return (hasOtherId || isReadOtherwise) && earlier.trail?.mapping === order.trail?.mapping;
}
