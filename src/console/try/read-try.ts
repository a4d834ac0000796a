/** Shows what the gateway would make of a pasted request, by the steps of the walk. Sends nothing and keeps nothing of the paste. */
import { GatewayError } from '../../domain/errors';
import type { LegacyReply, LegacyRequest, SavedRequest } from '../../domain/legacy';
import { errorText } from '../../domain/shown-words';
import type { Keyring } from '../../gateway/read/keyring';
import { refuseRequest } from '../../gateway/tell/refuse';
import { readWireRequest } from '../../http/read-written-request';
import type { Mapping } from '../../mapping/mapping';
import { explain, type Explanation } from '../../operator/explain/explain';
import { parsePaste, type PasteKind } from '../../operator/paste/parse-paste';

interface TryAsked {
  readonly text: string;
  /** Such as `POST /api/topup/`; used if only fields were pasted. */
  readonly address: string;
  /** The fingerprint of the assumed caller; empty for the key in the paste. */
  readonly caller: string;
}

export type Tried =
  /** Nothing was pasted. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly detail: string }
  /** A request that is refused while it is read, before the walk. */
  | { readonly kind: 'refused_unread'; readonly paste: PasteKind; readonly reply: LegacyReply; readonly detail: string }
  | {
      readonly kind: 'explained';
      readonly paste: PasteKind;
      readonly request: LegacyRequest;
      readonly explanation: Explanation;
      /** The reply to the script, if the request is refused. */
      readonly refusal: LegacyReply | undefined;
    };

interface TryParts {
  readonly mapping: Mapping;
  readonly keyring: Keyring;
}

export async function readTry({ text, address, caller }: TryAsked, { mapping, keyring }: TryParts): Promise<Tried> {
  if (text.trim() === '') return { kind: 'empty' };
  let saved: { readonly kind: PasteKind; readonly request: SavedRequest };
  try {
    saved = parsePaste(text, addressOf(address));
  } catch (error) {
    return { kind: 'unreadable', detail: errorText(error) };
  }
  const paste = saved.kind;
  let request: LegacyRequest;
  try {
    request = await readWireRequest(saved.request);
  } catch (error) {
    if (!(error instanceof GatewayError)) return { kind: 'unreadable', detail: 'This is no HTTP request.' };
    return { kind: 'refused_unread', paste, detail: error.detail, reply: refusedUnread(error, saved.request, mapping) };
  }
  const asAsked = caller === '' ? keyring : { ...keyring, fingerprint: () => caller };
  const explanation = explain(request, mapping, asAsked);
  return { kind: 'explained', paste, request, explanation, refusal: refusalOf(explanation, request, mapping) };
}

/** The refusal as the gateway's own door makes it when only method and address are known. */
function refusedUnread(error: GatewayError, { method, target }: SavedRequest, mapping: Mapping): LegacyReply {
  const match = mapping.matchRoute(method, target.split('?', 1)[0]!);
  return refuseRequest(error, { mapping, request: undefined, operation: match.kind === 'matched' ? match.operation : undefined });
}

function refusalOf(
  { refusal, operation, format }: Explanation,
  request: LegacyRequest,
  mapping: Mapping,
): LegacyReply | undefined {
  if (refusal === undefined) return undefined;
  const error = new GatewayError(refusal.code as GatewayError['code'], refusal.detail);
  const known = operation === undefined ? undefined : mapping.operations.get(operation.name);
  return refuseRequest(error, { mapping, request, operation: known, format: format?.id });
}

export function addressOf(text: string): { readonly method: string; readonly target: string } {
  const [method = 'POST', target = '/'] = text.split(' ');
  return { method, target };
}
