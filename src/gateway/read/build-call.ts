/** Step 6: an intent → the v1 call. The call is built only from checked values; no part of the script's body is passed on. */
import type { JsonObject, JsonValue } from '../../domain/json';
import type { CallTemplate, Scope } from '../../mapping/mapping';
import type { V1Call } from '../../upstream/upstream';

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
