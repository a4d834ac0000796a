/** Finds the order that a request repeats by its words, also where the request is refused (decision 0024). */
import type { Mapping } from '../../mapping/mapping';
import { headerIdOf, namesItsSale, type SentRequestId } from '../read/read-raw';
import { holdNames, type KeptRepeat, keyOf, type KnownOrders } from './kept-repeats';
import type { createLook } from './look-for-unheard';
import { type EarlierOrder, likelyCharged, type RepeatedOf, type SentWords } from './read-earlier';

interface UnheardSearch {
  /** The journal is searched at once, however lately it was. */
  readonly isDue?: boolean;
  /** The id of the request's own order. */
  readonly except?: string;
  /** An order that came under the header of this id is found whatever its words are, also when its end was told. */
  readonly sent?: SentRequestId | undefined;
  /** The content of the request's own order: one of the same content is found whatever its words are, while no script has heard its end. */
  readonly contentHash?: string | undefined;
  /**
   * When the request came, by `clock.elapsed()`. An order that ended since is the same sale, also when another script has heard the end. One that
   * its script sold when it heard "pending" is not.
   */
  readonly cameAt?: number | undefined;
  /** The script refunds its customer when it hears "pending". */
  readonly isRefundedPending?: boolean;
  /** As in `SentWords`. */
  readonly pinsCameAt?: number | undefined;
}

/**
 * Finds the order that a request repeats by its words: of the same key, and no script has heard its end, or an earlier mapping read its id
 * in these words. `unread` where this process knows of such an order and the journal cannot be read.
 */
export type FindUnheard = (
  owner: string,
  wordsHash: string,
  mapping: Pick<Mapping, 'repeatMs' | 'hash'>,
  search?: UnheardSearch,
) => Promise<EarlierOrder | undefined>;

interface FindParts {
  readonly known: KnownOrders;
  readonly look: ReturnType<typeof createLook>;
  readonly repeatedOf: RepeatedOf;
}

export function createFindUnheard({ known, look, repeatedOf }: FindParts): FindUnheard {
  const { contents, wordings, headers } = known;
  return (owner, wordsHash, { repeatMs, hash: mapping }, search = {}) => {
    const { isDue = false, except, sent, contentHash, cameAt, isRefundedPending = false, pinsCameAt } = search;
    const headerId = headerIdOf(sent);
    const words: SentWords = {
      owner,
      wordsHash,
      trail: { mapping },
      headerId,
      isNamed: namesItsSale(sent),
      ...{ cameAt, isRefundedPending, pinsCameAt },
    };
    const isRepeatable = (one: KeptRepeat): boolean => one.agoMs <= repeatMs && one.requestId !== except;
    const kept = () => {
      const named = headerId === undefined ? [] : headers.of(keyOf(owner, headerId)).filter(isRepeatable);
      if (named.length > 0) return named;
      const alike = contentHash === undefined ? [] : contents.of(keyOf(owner, contentHash));
      return [...wordings.of(keyOf(owner, wordsHash)), ...alike].filter(isRepeatable);
    };
    const release = holdNames(known, owner, { contentHash, wordsHash, headerId });
    const looking = look(owner, repeatMs, { isDue, isRefundedPending });
    return firstUnheard(looking, kept, (requestId) => repeatedOf(words, requestId)).finally(release);
  };
}

/** The kept order whose end is unheard. Rejects where the look into the journal failed and no kept order is known. */
async function firstUnheard(
  looking: Promise<void>,
  kept: () => readonly KeptRepeat[],
  unheardOf: (requestId: string) => Promise<EarlierOrder | undefined>,
): Promise<EarlierOrder | undefined> {
  await looking.catch(() => undefined);
  const read = await Promise.all(kept().map(({ requestId }) => unheardOf(requestId)));
  return likelyCharged(read.filter((one) => one !== undefined)) ?? looking.then(() => undefined);
}
