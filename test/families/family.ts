/** How one family of reseller scripts reads a reply. The conditions are ours, written from what the scripts do. */
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
 * `sale`: the customer has the goods and the order is closed. `pending`: kept open, to be settled later. `failure`: the
 * customer is refunded. `unknown`: the script does nothing by itself; its owner looks.
 */
export type Conclusion = 'sale' | 'pending' | 'failure' | 'unknown';

export type Conclude = (reply: ScriptReply) => Conclusion;

export interface Family {
  /** As in docs/families.md; the tag in brackets names one code base. */
  readonly name: string;
  readonly formats: readonly string[];
  /** Operations that it reads so; every purchase when absent. */
  readonly operations?: readonly string[];
  readonly concludes: Conclude;
  /**
   * Where it concludes something else than its reply means, by outcome: `pending` stands for unknown orders as well,
   * `failure` for every failure that is not named itself. Each must be so, else the test fails.
   */
  readonly instead?: Readonly<Record<string, Conclusion>>;
  /** The families of the mappings in whose words it is told, by format, and where it still concludes something else then. */
  readonly told?: Told;
  /** Why that is so and cannot be helped by a reply. */
  readonly because?: string;
}

export interface Told {
  readonly as: Readonly<Record<string, string>>;
  readonly instead?: Readonly<Record<string, Conclusion>>;
}

/** True when the field of the reply is one of these words, letter by letter. */
export function says({ body }: ScriptReply, field: string, ...words: readonly string[]): boolean {
  const value = body?.[field];
  return typeof value === 'string' && words.includes(value);
}

/** Words by the field that has them. `status, Status` is either of the two. */
type Words = Readonly<Record<string, readonly string[]>>;

/** The first of these that a reply says; a reply that says none of them is `otherwise`, which is a failure unless told. */
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
