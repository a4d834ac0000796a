import { V1_ENDPOINTS, type V1Endpoint, type V1Field } from '../../upstream/v1';
import { Refusal } from '../refusal';

/** A parsed JSON object or query. Only checked fields may be read from it. */
export type Fields = Readonly<Record<string, unknown>>;

/** The specification's own description of an endpoint. */
export function endpointOf(method: 'GET' | 'POST', path: string): V1Endpoint {
  const found = V1_ENDPOINTS.find((endpoint) => endpoint.method === method && endpoint.path === path);
  if (found === undefined) throw new Error(`the specification has no ${method} ${path}`);
  return found;
}

const TYPES: Readonly<Record<V1Field['type'], { readonly article: string; readonly holds: (value: unknown) => boolean }>> = {
  string: { article: 'must be a string', holds: (value) => typeof value === 'string' },
  integer: { article: 'must be an integer', holds: (value) => Number.isSafeInteger(value) },
  number: { article: 'must be a number', holds: (value) => typeof value === 'number' && Number.isFinite(value) },
  boolean: { article: 'must be true or false', holds: (value) => typeof value === 'boolean' },
  list: {
    article: 'must be an array of strings or one string',
    holds: (value) => typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
  },
};

/**
 * Every field of section 4 has the type of its table, or the request is refused. Types are exact: a number in quotes is not a
 * number, so that what works here works on a strict service; only an id that the catalog itself writes as text may be either.
 * null is the same as absent. Unknown fields are ignored.
 */
export function checkFields(endpoint: V1Endpoint, body: Fields): void {
  for (const [name, { type, required, isIgnored, isAlsoText }] of Object.entries(endpoint.fields)) {
    if (isIgnored) continue;
    const value = body[name];
    if (value === undefined || value === null) {
      if (required) throw new Refusal('missing_field', name);
      continue;
    }
    if (isAlsoText && typeof value === 'string' && value !== '') continue;
    if (!TYPES[type].holds(value)) throw new Refusal('invalid_field', name, TYPES[type].article);
    if (required && (value === '' || (Array.isArray(value) && value.length === 0))) throw new Refusal('missing_field', name);
  }
}

/** A field that checkFields has found to be there, or the fallback of an optional one. */
export function textOf(body: Fields, name: string, fallback = ''): string {
  const value = body[name];
  return typeof value === 'string' ? value : fallback;
}

export function integerOf(body: Fields, name: string, fallback = 0): number {
  const value = body[name];
  return typeof value === 'number' ? value : fallback;
}
