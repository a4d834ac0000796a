/** A pasted request → what the gateway would make of it, by the very steps of the walk. Nothing is sent and nothing of the paste is kept. */
import { GatewayError } from '../../domain/errors';
import type { LegacyReply, LegacyRequest, SavedRequest } from '../../domain/legacy';
import type { Keyring } from '../../gateway/read/keyring';
import { refuseRequest } from '../../gateway/tell/refuse';
import { readWireRequest } from '../../http/read-written-request';
import type { Mapping } from '../../mapping/mapping';
import { explain, type Explanation } from '../../operator/explain/explain';
import { parsePaste, type PasteKind } from '../../operator/paste/parse-paste';

export interface TryAsked {
  readonly text: string;
  /** `POST /api/topup/`, for fields alone. */
  readonly address: string;
  /** The fingerprint of the caller who is taken to ask; empty for the key of the paste. */
  readonly caller: string;
}

export type Tried =
  /** Nothing was pasted yet, or it is no request. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly detail: string }
  /** It is a request that no step of the walk gets to see. */
  | { readonly kind: 'refused_unread'; readonly paste: PasteKind; readonly reply: LegacyReply; readonly detail: string }
  | {
      readonly kind: 'explained';
      readonly paste: PasteKind;
      readonly request: LegacyRequest;
      readonly explanation: Explanation;
      /** What the script would be told, where the request is refused. */
      readonly refusal: LegacyReply | undefined;
    };

export interface TryParts {
  readonly mapping: Mapping;
  readonly keyring: Keyring;
}

export async function readTry({ text, address, caller }: TryAsked, { mapping, keyring }: TryParts): Promise<Tried> {
  if (text.trim() === '') return { kind: 'empty' };
  let saved: { readonly kind: PasteKind; readonly request: SavedRequest };
  try {
    saved = parsePaste(text, addressOf(address));
  } catch (error) {
    return { kind: 'unreadable', detail: error instanceof Error ? error.message : 'It cannot be read.' };
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

/** As the gateway's door does it: only the address is known. */
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
