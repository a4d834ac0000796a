/** One lookup: with each value that is to be tried, by each key that may ask. Free at v1, and nothing is journalled. */
import type { Finding, V1Call } from '../upstream/upstream';
import { readContextOf, type ParsedRequest } from './read/parsed-request';
import { buildCall } from './read/build-call';
import type { LookedUp } from './lookup-memory';
import type { WalkParts } from './walk-parts';

export async function lookUp(parsed: ParsedRequest, parts: WalkParts): Promise<LookedUp> {
  const { credentials, mapping } = parsed;
  const name = credentials.isLookupKey === true ? nameOf(parsed) : undefined;
  const known = name === undefined ? undefined : parts.lookups.find(name, mapping.lookupKey.rememberMs);
  if (known !== undefined) return known;
  const found = await askFor(parsed, parts);
  if (name !== undefined && isFound(found.finding)) parts.lookups.keep(name, found);
  return found;
}

/** Who asked for what. A key is part of it: v1 simulates what it tells sandbox keys. */
function nameOf({ credentials, intent, mapping, operation, request }: ParsedRequest): string {
  const { fingerprint } = credentials;
  return JSON.stringify([request.clientAddress, fingerprint, mapping.hash, operation.name, intent.values]);
}

async function askFor(parsed: ParsedRequest, parts: WalkParts): Promise<LookedUp> {
  const { intent, operation, mapping, request } = parsed;
  let context = readContextOf(parsed);
  const ask = async (call: V1Call): Promise<Finding> => {
    // v1 counts every call, also those of one request.
    if (operation.kind === 'lookup')
      context = { ...context, credentials: parts.keyless.take(context.credentials, request.clientAddress, mapping.lookupKey) };
    const finding = await parts.upstream.find(call, context);
    const credentials = parts.keyless.keyAfter(context.credentials, finding, request.clientAddress, mapping.lookupKey);
    if (credentials === undefined) return finding;
    context = { ...context, credentials };
    return parts.upstream.find(call, context);
  };
  const { trial, values } = intent;
  if (trial === undefined) return { finding: await ask(parsed.call!), values };
  let finding: Finding = { kind: 'unavailable', reason: 'nothing was tried' };
  for (const value of trial.values) {
    const tried = { ...values, [trial.field]: value };
    finding = await ask(buildCall(operation.call!, tried));
    if (isFound(finding)) return { finding, values: tried };
    if (!isUnknownThere(finding)) break;
  }
  return { finding, values: Object.fromEntries(Object.entries(values).filter(([name]) => name !== trial.field)) };
}

/** v1 may say "no such card" with HTTP 200: `success` and `status` decide. */
export function isFound(finding: Finding): finding is Extract<Finding, { kind: 'found' }> {
  return finding.kind === 'found' && finding.body['success'] !== false && finding.body['status'] !== 'error';
}

/** v1 knows nothing of the kind; another value may be right. A refused key or a limit is no such answer. */
function isUnknownThere(finding: Finding): boolean {
  return finding.kind === 'found' || (finding.kind === 'refused' && [400, 404, 422].includes(finding.httpStatus));
}
