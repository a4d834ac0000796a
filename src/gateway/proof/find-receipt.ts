/** One question to v1: what its receipt says of a reference. */
import type { Outcome } from '../../domain/outcome';
import { outcomeOfReceipt } from '../../upstream/receipt';
import type { CallContext, Upstream } from '../../upstream/upstream';

/** What the receipt says, or `undefined` when it cannot be had or says nothing. */
export async function findReceipt(reference: string, context: CallContext, upstream: Upstream): Promise<Outcome | undefined> {
  const finding = await upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, context);
  return finding.kind === 'found' ? outcomeOfReceipt(finding.body, reference) : undefined;
}
