/** Step 6: an intent → the v1 call. Built afresh from checked values; nothing of the script's body is passed on. */
import { InexactNumber, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyFields, LegacyRequest } from '../../domain/legacy';
import type { CallTemplate, Operation, Scope } from '../../mapping/mapping';
import type { V1Call } from '../../upstream/upstream';
import type { Keyring } from './keyring';

export function buildCall(template: CallTemplate, values: JsonObject, roots: Readonly<Record<string, JsonValue>> = {}): V1Call {
  const scope: Scope = { fields: values, joins: {}, roots, numberOf: () => undefined };
  const send = template.send(scope);
  const { method, path } = template;
  if (method === 'POST') return { method, path, body: send };
  const query = Object.fromEntries(
    Object.entries(send).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return { method, path, query };
}

/** What makes two intents one: the operation and everything that v1 would be asked. */
export function contentHashOf(operation: Operation, call: V1Call, keyring: Keyring): string {
  const entries = Object.entries(call.body ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return keyring.hash(JSON.stringify([operation.name, call.path, entries]));
}

/** What a script's own repeat has in common with its first request, whatever the mapping makes of either. */
export function askedHashOf({ path, query, body }: LegacyRequest, keyring: Keyring): string {
  return keyring.hash(JSON.stringify(['asked', path.replace(/\/+$/, ''), plainOf(query), plainOf(body)]));
}

/** The address that a script placed an order from, or asks from: the journal keeps no address itself. */
export function addressHashOf(clientAddress: string, keyring: Pick<Keyring, 'hash'>): string {
  return keyring.hash(JSON.stringify(['address', clientAddress]));
}

function plainOf(fields: LegacyFields): readonly (readonly [string, JsonValue])[] {
  return [...fields]
    .map(([name, value]): [string, JsonValue] => [name, value instanceof InexactNumber ? value.text : value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
