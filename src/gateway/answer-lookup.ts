/** Lookups and reads: one question to v1, nothing journalled. */
import { nairaNumber, parseNaira } from '../domain/amount';
import type { JsonObject, JsonValue } from '../domain/json';
import type { PriceList } from '../price-lists/price-lists';
import type { Finding } from '../upstream/upstream';
import type { Answer } from './answer-purchase';
import { readContextOf, type ParsedRequest } from './read/parsed-request';
import { catalogListsOf } from './read/catalog-lists';
import type { WalkParts } from './walk-parts';
import { isFound, lookUp } from './look-up';
import { mergeReply, type ReplyParts } from './tell/merge-reply';
import { tellWait } from './tell/tell-wait';

/** No answer is no failure of the script's: 503 with the failure words, and nothing was charged anyhow. */
const UNAVAILABLE_STATUS = 503;
/** v1 named no reason: that is not to be read as a number that nobody has. */
const WITHOUT_A_WORD: Readonly<Record<number, string>> = {
  401: 'The API key was refused. Nothing was checked.',
  403: 'The API key may not be used here. Nothing was checked.',
  429: 'Too many requests. Nothing was checked.',
};

export async function answerLookup(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { mapping, operation, format, intent, callerKey } = parsed;
  const context = readContextOf(parsed);
  if (wantsLists(parsed)) parts.priceLists.warm(context);
  const { finding, values } = await lookUp(parsed, parts);
  // Only what v1 has just answered comes with its lists.
  const catalog = wantsLists(parsed) && finding.kind === 'found' ? await parts.priceLists.show(context) : undefined;
  const told = tellWait(tellFinding(finding, parsed), parsed.call!.path);
  const reply = mergeReply({
    ...told,
    mapping,
    operation,
    format,
    values,
    callerKey,
    ownNumbers: intent.ownNumbers,
    catalog: catalogOf(catalog, parsed),
    roots: { v1: finding.kind === 'unavailable' ? null : plainNumbers(finding.body), login: loginRoot(parsed, parts) },
  });
  return { reply, outcome: told.outcome === 'failure' && finding.kind === 'found' ? 'refused' : finding.kind };
}

/** The lists are for plain requests: a login before every sale has no use for them. */
function wantsLists({ operation, isBasic }: ParsedRequest): boolean {
  return operation.wantsCatalog && !isBasic;
}

function catalogOf(catalog: PriceList | undefined, { mapping }: ParsedRequest): ReplyParts['catalog'] {
  return catalog === undefined ? undefined : catalogListsOf(catalog, mapping);
}

export function tellFinding(
  finding: Finding,
  { mapping }: ParsedRequest,
): Pick<ReplyParts, 'outcome' | 'http' | 'text' | 'retryAfterSeconds'> {
  const { texts } = mapping;
  if (finding.kind === 'unavailable')
    return { outcome: 'failure', http: UNAVAILABLE_STATUS, text: texts['unavailable'] ?? finding.reason };
  const message =
    typeof finding.body['message'] === 'string' && finding.body['message'] !== '' ? finding.body['message'] : undefined;
  if (finding.kind === 'refused') {
    const { httpStatus, retryAfterSeconds } = finding;
    return {
      outcome: 'failure',
      http: httpStatus,
      text: message ?? WITHOUT_A_WORD[httpStatus] ?? texts['not_found'] ?? 'Not found.',
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
  return isFound(finding)
    ? { outcome: 'success', text: message ?? texts['found'] ?? 'Successful.' }
    : { outcome: 'failure', text: message ?? texts['not_found'] ?? 'Not found.' };
}

/** Scripts read balances as numbers; v1 may send them as text. */
function plainNumbers(body: JsonObject): JsonObject {
  const data = body['data'];
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return body;
  const plain = Object.fromEntries(
    Object.entries(data as JsonObject).map(([name, value]): [string, JsonValue] => {
      const amount = name.endsWith('_balance') ? parseNaira(value) : undefined;
      return [name, amount === undefined ? value : nairaNumber(amount)];
    }),
  );
  return { ...body, data: plain };
}

/**
 * `$login`. The key itself is never shown: the script's name for its account is a piece of the fingerprint. The PIN is
 * told back to nobody but a login that brought it in its fields.
 */
function loginRoot({ credentials, isBasic, format, mapping, operation }: ParsedRequest, { keyring }: WalkParts): JsonObject {
  const loginFormat =
    mapping.formats.get(format)?.hasLogin === true ? format : [...mapping.formats.values()].find((one) => one.hasLogin)?.id;
  const { apiKey, pin, fingerprint } = credentials;
  return {
    username: `api-${fingerprint.slice(0, 8)}`,
    pin: operation.keyIn === undefined || credentials.isLookupKey === true ? null : (pin?.revealForUseOnly() ?? null),
    is_basic: isBasic && loginFormat !== undefined,
    access_token:
      isBasic && loginFormat !== undefined
        ? keyring.sealToken({ apiKey, format: loginFormat, ...(pin === undefined ? {} : { pin }) })
        : null,
  };
}
