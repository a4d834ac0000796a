/** Whether an order that v1 has under a reference is the one that is being bought: v1's receipt held against it. */
import type { PriceLists } from '../../price-lists/price-lists';
import type { Clock } from '../../domain/clock';
import type { Outcome } from '../../domain/outcome';
import { orderInReceipt, outcomeOfReceipt } from '../../upstream/answer-data';
import type { Upstream } from '../../upstream/upstream';
import { type ParsedRequest, readContextOf } from '../read/parsed-request';
import { catalogListsOf } from '../read/catalog-lists';
import { identifyReceipt, type Identity, otherServices, rulesOut, traitsOf } from './compare-receipt';

/** What v1's receipt says of a reference. */
export interface Witness {
  /** `unread` when it cannot be had right now, `none` when v1 has no order of this reference. */
  readonly identity: Identity | 'unread' | 'none';
  /** What became of it, when the receipt tells that. */
  readonly outcome?: Outcome | undefined;
}

/** Asks for the receipt of a reference and compares it with the order that is being bought. */
export type Identify = (reference: string, openedAtMs: number) => Promise<Witness>;

interface IdentifyingParts {
  readonly upstream: Pick<Upstream, 'find'>;
  readonly priceLists: Pick<PriceLists, 'peek'>;
  readonly clock: Clock;
}

/** Asks v1 for the receipt of this reference and compares it with what is being bought. */
export async function identifyOrder(
  reference: string,
  openedAtMs: number,
  parsed: ParsedRequest,
  parts: IdentifyingParts,
): Promise<Witness> {
  const finding = await parts.upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, readContextOf(parsed));
  if (finding.kind === 'refused' && finding.httpStatus === 404) return { identity: 'none' };
  if (finding.kind !== 'found') return { identity: 'unread' };
  if (orderInReceipt(finding.body, reference) === 'another') return { identity: 'unread' };
  const { operation, intent, mapping, credentials } = parsed;
  const catalog = operation.joins.length === 0 ? undefined : parts.priceLists.peek(credentials.fingerprint);
  const lists = catalog === undefined ? undefined : catalogListsOf(catalog, mapping);
  const listed = traitsOf(operation, intent.values, lists);
  const identity = identifyReceipt(finding.body, traitsOf(operation, intent.values), {
    openedAtMs,
    nowMs: parts.clock.now(),
    listPrice: listed.faceValue,
  });
  const isRuledOut = identity === 'unclear' && rulesOut(finding.body, listed, otherServices(operation, mapping));
  return { identity: isRuledOut ? 'contradicted' : identity, outcome: outcomeOfReceipt(finding.body, reference) };
}
