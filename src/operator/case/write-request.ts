/** Writes the request that a script would send for a step of a case. */
import { textOf, type JsonObject, type JsonValue } from '../../domain/json';
import type { SendFields, StepFields } from './case-schema';

export interface WrittenRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The key of every case. It is no secret: no real v1 receives it. */
const KEY = 'the_key_of_the_cases';
const PIN = '1234';

/** `$reply.x` anywhere in the request is replaced with the field `x` of the previous reply. */
export function writeRequest(step: StepFields, previous: JsonObject): WrittenRequest {
  const { to, ...content }: LongForm = typeof step.send === 'string' ? { to: step.send } : step.send;
  const [method = '', target = ''] = to.split(' ');
  const isRead = method === 'GET';
  const query = { ...(isRead ? content.fields : {}), ...content.query };
  const fillReplyFields = (text: string): string =>
    text.replaceAll(/\$reply\.([\w-]+)/g, (_, name: string) => textOf(previous[name]));
  const fullTarget = Object.keys(query).length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${formText(query)}`;
  const { body, contentType } = bodyOf(content, isRead);
  const headers: Record<string, string> = {
    ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    ...authorizationOf(step.auth ?? 'token'),
    ...step.headers,
  };
  return {
    method,
    target: fillReplyFields(fullTarget),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fillReplyFields(value)])),
    body: fillReplyFields(body),
  };
}

type LongForm = Exclude<SendFields, string>;

function bodyOf({ fields, form, raw }: Omit<LongForm, 'to'>, isRead: boolean): { body: string; contentType?: string } {
  if (raw !== undefined) return { body: raw };
  if (form !== undefined) return { body: formText(form), contentType: 'application/x-www-form-urlencoded' };
  return fields === undefined || isRead ? { body: '' } : { body: JSON.stringify(fields), contentType: 'application/json' };
}

/** As PHP's http_build_query writes it: true is 1, false is 0, null is left out. */
function formText(fields: Readonly<Record<string, JsonValue>>): string {
  const pairs = Object.entries(fields).filter(([, value]) => value !== null);
  return pairs
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(typeof value === 'boolean' ? String(Number(value)) : textOf(value))}`,
    )
    .join('&');
}

function authorizationOf(auth: string): { Authorization?: string } {
  switch (auth) {
    case 'none':
      return {};
    case 'token':
      return { Authorization: `Token ${KEY}:${PIN}` };
    case 'bearer':
      return { Authorization: `Bearer ${KEY}:${PIN}` };
    case 'basic':
      return { Authorization: `Basic ${Buffer.from(`${KEY}:${PIN}`).toString('base64')}` };
    default:
      return { Authorization: auth };
  }
}
