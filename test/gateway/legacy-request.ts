/** Requests as the walk gets them; a test names only the parts that matter. */
import type { LegacyFields, LegacyHeaders, LegacyRequest, LegacyValue } from '../../src/domain/legacy';

export interface LegacyRequestParts {
  readonly method?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, LegacyValue>>;
  readonly body?: Readonly<Record<string, LegacyValue>>;
  readonly headers?: LegacyHeaders;
  readonly clientAddress?: string;
  /** The body as received. */
  readonly text?: string;
}

export function legacyRequest(parts: LegacyRequestParts = {}): LegacyRequest {
  const { method = 'POST', path = '/api/topup/', query = {}, body = {}, headers = {}, clientAddress = '192.0.2.7' } = parts;
  const bytes = parts.text === undefined ? {} : { bytes: Buffer.from(parts.text) };
  return { method, path, query: fieldsOf(query), body: fieldsOf(body), headers, clientAddress, ...bytes };
}

function fieldsOf(values: Readonly<Record<string, LegacyValue>>): LegacyFields {
  return new Map(Object.entries(values));
}
