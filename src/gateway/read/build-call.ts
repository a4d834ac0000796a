/** Step 6: an intent → the v1 call. The call is built only from checked values; no part of the script's body is passed on. */
import { InexactNumber, isList, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyFields, LegacyRequest } from '../../domain/legacy';
import type { Order } from '../../domain/order';
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

/**
 * A keyed hash of the operation and of everything that v1 is sent: two intents with the same hash are the same purchase. The order of a list does not
 * count: the recipients of a message are the same ones.
 */
export function contentHashOf(operation: Operation, call: V1Call, keyring: Keyring): string {
  const { body = {} } = call;
  const entries = Object.keys(body)
    .sort()
    .map((name) => [name, isList(body[name]) ? [...body[name]].sort() : body[name]]);
  return keyring.hash(JSON.stringify([operation.name, call.path, entries]));
}

/** A keyed hash of the script's words: its request as sent. A repeat has the same hash even if the mapping has changed in between. */
export function wordsHashOf({ path, query, body }: LegacyRequest, keyring: Keyring): string {
  const address = path.endsWith('/') ? path.replace(/\/+$/, '') : path;
  // `asked` is in the hashes on disk.
  return keyring.hash(JSON.stringify(['asked', address, plainOf(query), plainOf(body)]));
}

/** Whether these are the words of this order but for its id, which a repeat under the id of a header may leave out (decision 0024). */
export function isWithoutItsId(request: LegacyRequest, { wordsHash, echo }: Order, keyring: Keyring): boolean {
  const body = new Map([...request.body, ...Object.entries(echo)]);
  return wordsHashOf({ ...request, body }, keyring) === wordsHash;
}

function plainOf(fields: LegacyFields): readonly (readonly [string, JsonValue])[] {
  if (fields.size === 0) return [];
  return [...fields.keys()].sort().map((name) => {
    const value = fields.get(name)!;
    return [name, value instanceof InexactNumber ? value.text : value];
  });
}
