/** How one family of reseller scripts reads a reply. The conditions are our own, written after what the scripts do. */
import type { JsonObject, JsonValue } from '../../src/domain/json';

/** A reply as a script gets it. */
export interface ScriptReply {
  readonly status: number;
  /** Undefined when there was no body or it was no JSON object. */
  readonly body: JsonObject | undefined;
  /** The request id that the script had sent, if any. */
  readonly requestId?: JsonValue | undefined;
}

/**
 * `sale`: the customer has the goods and the order is closed. `pending`: the order stays open until later. `failure`: the
 * customer is refunded. `unknown`: the script does nothing by itself, and its owner looks at the order.
 */
export type Conclusion = 'sale' | 'pending' | 'failure' | 'unknown';

export type Conclude = (reply: ScriptReply) => Conclusion;

export interface Family {
  /** As in docs/families.md; the tag in brackets names one code base. */
  readonly name: string;
  readonly formats: readonly string[];
  /** The operations that it reads in this way; every purchase when absent. */
  readonly operations?: readonly string[];
  readonly concludes: Conclude;
  /**
   * Conclusions that differ from the meaning of the reply, by outcome: `pending` includes unknown orders, `failure` every
   * failure without an entry of its own. The test fails where an entry does not hold.
   */
  readonly instead?: Readonly<Record<string, Conclusion>>;
  /** The families of the mappings that word its replies, by format, and its wrong conclusions from those words. */
  readonly told?: Told;
  /** The reason, and why no reply can help. */
  readonly because?: string;
}

export interface Told {
  readonly as: Readonly<Record<string, string>>;
  readonly instead?: Readonly<Record<string, Conclusion>>;
}

/** True when the field of the reply is exactly one of these words. */
export function says({ body }: ScriptReply, field: string, ...words: readonly string[]): boolean {
  const value = body?.[field];
  return typeof value === 'string' && words.includes(value);
}

/** Words by field; `status, Status` stands for either field. */
type Words = Readonly<Record<string, readonly string[]>>;

/** The first conclusion whose words the reply has; otherwise `otherwise`, by default a failure. */
export function byWords({ otherwise = 'failure', ...words }: ByWords): Conclude {
  const isSaid = (reply: ScriptReply, of: Words = {}): boolean =>
    Object.entries(of).some(([fields, any]) => fields.split(', ').some((field) => says(reply, field, ...any)));
  return (reply) => (['sale', 'pending', 'failure'] as const).find((one) => isSaid(reply, words[one])) ?? otherwise;
}

interface ByWords extends Partial<Readonly<Record<'sale' | 'pending' | 'failure', Words>>> {
  readonly otherwise?: Conclusion;
}

/** PHP's empty(): absent, null, false, 0, "", "0" and empty lists. */
export function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value === false || value === 0 || value === '' || value === '0';
}

export function isTwoHundred({ status }: ScriptReply): boolean {
  return status >= 200 && status <= 299;
}
