/** Step 6: an intent → the v1 call. Built afresh from checked values; nothing of the script's body is passed on. */
import type { JsonObject, JsonValue } from '../domain/json';
import type { Scope } from '../mapping/compile-value';
import type { CallTemplate, Operation } from '../mapping/mapping';
import type { V1Call } from '../upstream/upstream';
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
