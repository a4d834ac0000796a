/** What is wrong with a value, in our words: zod's own sentences name types of JavaScript. A schema's own message goes before. */
import type { z } from 'zod';
import { nearestName } from './nearest-name';

type Issue = z.core.$ZodRawIssue;
type IssueCode = z.core.$ZodIssueCode;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list such as [a, b]',
  object: 'keys and values',
  record: 'keys and values',
  null: 'nothing',
};

const kindOf = (expected: string): string => KINDS[expected] ?? 'another kind of value';

/** Never the value itself: it may be a secret. */
function found(input: unknown): string {
  if (input === null) return 'nothing';
  if (typeof input === 'boolean') return `\`${input}\``;
  return Array.isArray(input) ? 'a list' : kindOf(typeof input);
}

function instead(expected: string, input: unknown): string {
  return input === undefined ? `this is missing: expected ${expected}` : `expected ${expected}, not ${found(input)}`;
}

const choices = (values: readonly unknown[]): string => values.map((value) => `\`${String(value)}\``).join(', ');

/** One sentence a code: a code that zod adds does not compile until it has one. */
export const ISSUES: { readonly [Code in IssueCode]: (issue: Issue & { readonly code: Code }) => string } = {
  invalid_type: ({ expected, input }) => instead(kindOf(expected), input),
  too_big: ({ maximum, inclusive }) => `expected ${inclusive === false ? 'less than' : 'at most'} ${String(maximum)}`,
  too_small: ({ minimum, inclusive, origin }) =>
    `expected ${inclusive === false ? 'more than' : 'at least'} ${String(minimum)}${origin === 'string' ? ' characters' : ''}`,
  invalid_format: ({ format, prefix }) =>
    format === 'starts_with'
      ? `expected a text that begins with \`${String(prefix)}\``
      : 'this is not written as it must be here',
  not_multiple_of: ({ divisor }) => `expected a multiple of ${String(divisor)}`,
  unrecognized_keys: ({ keys }) => `nothing here is called ${choices(keys)}`,
  invalid_union: ({ errors, input }) => instead(oneOf(errors ?? []), input),
  invalid_key: ({ issues }) => issues?.[0]?.message ?? 'this key is not written as it must be here',
  invalid_element: ({ issues }) => issues?.[0]?.message ?? 'something in here is not as it must be',
  invalid_value: ({ values }) => (values.length === 1 ? `expected ${choices(values)}` : `expected one of ${choices(values)}`),
  custom: () => 'this value is not usable here',
};

/** The kinds of values that a union accepts. */
function oneOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const kinds = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [kindOf(first.expected)] : []));
  return kinds.length === 0 ? 'another kind of value' : [...new Set(kinds)].join(' or ');
}

/** For `safeParse(…, { error })`. */
export const sayIssue: z.core.$ZodErrorMap = (issue) => (ISSUES[issue.code] as (issue: Issue) => string)(issue);

/** The flag that an operator meant by a word such as `no`, which YAML 1.1 read as false and YAML 1.2 reads as text. */
export function meantChoice(input: unknown, values: readonly string[]): string | undefined {
  const said = switchOf(input);
  if (said !== undefined) {
    const word = said ? ['on', 'true'] : ['off', 'false'];
    return word.find((one) => values.includes(one)) ?? (said && values.length === 1 ? values[0] : undefined);
  }
  return typeof input === 'string' ? nearestName(input, values) : undefined;
}

/** True for yes, false for no, undefined for anything else. */
function switchOf(input: unknown): boolean | undefined {
  const word = typeof input === 'boolean' || typeof input === 'number' || typeof input === 'string' ? String(input) : '';
  if (/^(?:y|yes|true|on|1|enabled?)$/i.test(word.trim())) return true;
  return /^(?:n|no|none|false|of+|0|disabled?)$/i.test(word.trim()) ? false : undefined;
}

/** What to write instead, where the kind of the value alone is wrong. */
export function hintForIssue(issue: z.core.$ZodIssue): string | undefined {
  const { code, input } = issue;
  if (code === 'invalid_value') {
    const meant = meantChoice(input, issue.values.map(String));
    if (meant !== undefined) return `did you mean \`${meant}\`?`;
    return switchOf(input) === false && issue.values.length === 1 ? 'leave the key out' : undefined;
  }
  if (code === 'invalid_type' && issue.expected === 'boolean') {
    const said = switchOf(input);
    return said === undefined ? undefined : `write \`${said}\``;
  }
  const expected = code === 'invalid_type' ? issue.expected : code === 'invalid_union' ? 'string' : undefined;
  if (input === null) return 'nothing stands behind the colon: write the value there, or delete the key';
  const isScalar = ['string', 'number', 'boolean'].includes(typeof input);
  if (expected === 'string' && isScalar && typeof input !== 'string') return 'put it in quotes';
  return expected === 'array' && isScalar ? 'put brackets around it' : undefined;
}
