/**
 * Messages for mistakes in files. They replace those of the YAML library, which need knowledge of its grammar, and those of zod, which
 * name types of JavaScript. A message that the schema itself sets is kept.
 */
import type { YAMLError } from 'yaml';
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

/** Names the kind of a value. The value itself is not shown, because it may be a secret. */
function found(input: unknown): string {
  if (input === null) return 'nothing';
  if (typeof input === 'boolean' || (typeof input === 'number' && !Number.isFinite(input))) return `\`${input}\``;
  return Array.isArray(input) ? 'a list' : kindOf(typeof input);
}

function instead(expected: string, input: unknown): string {
  return input === undefined ? `this is missing: expected ${expected}` : `expected ${expected}, not ${found(input)}`;
}

const choices = (values: readonly unknown[]): string => values.map((value) => `\`${String(value)}\``).join(', ');

/** One sentence for each code of zod. If zod adds a code, this table does not compile until it has a sentence. */
export const ISSUES: { readonly [Code in IssueCode]: (issue: Issue & { readonly code: Code }) => string } = {
  invalid_type: ({ expected, input }) => instead(kindOf(expected), input),
  too_big: ({ maximum, inclusive }) => `expected ${inclusive === false ? 'less than' : 'at most'} ${String(maximum)}`,
  too_small: ({ minimum, inclusive, origin }) =>
    `expected ${inclusive === false ? 'more than' : 'at least'} ${String(minimum)}${origin === 'string' ? ' characters' : ''}`,
  invalid_format: ({ format, prefix }) =>
    format === 'starts_with' ? `expected a text that begins with \`${String(prefix)}\`` : 'this text has the wrong form',
  not_multiple_of: ({ divisor }) => `expected a multiple of ${String(divisor)}`,
  unrecognized_keys: ({ keys }) => `unknown key ${choices(keys)}`,
  invalid_union: ({ errors, input }) => instead(oneOf(errors ?? []), input),
  invalid_key: ({ issues }) => issues?.[0]?.message ?? 'this key has the wrong form',
  invalid_element: ({ issues }) => issues?.[0]?.message ?? 'an item in here is not valid',
  invalid_value: ({ values }) => (values.length === 1 ? `expected ${choices(values)}` : `expected one of ${choices(values)}`),
  custom: () => 'this value is not valid here',
};

/** The kinds of values that a union accepts. */
function oneOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const kinds = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [kindOf(first.expected)] : []));
  return kinds.length === 0 ? 'another kind of value' : [...new Set(kinds)].join(' or ');
}

/** The option `error` of zod's `safeParse`. */
export const describeMistake: z.core.$ZodErrorMap = (issue) => (ISSUES[issue.code] as (issue: Issue) => string)(issue);

/** The choice that an operator meant by a misspelt word, or by one such as `no`, which is false in YAML 1.1 and a text in YAML 1.2. */
export function intendedChoice(input: unknown, values: readonly string[]): string | undefined {
  const said = switchOf(input);
  if (said !== undefined) {
    const word = said ? ['on', 'true'] : ['off', 'false'];
    return word.find((one) => values.includes(one)) ?? (said && values.length === 1 ? values[0] : undefined);
  }
  return typeof input === 'string' ? nearestName(input, values) : undefined;
}

/** True for yes, false for no, undefined for anything else. */
export function switchOf(input: unknown): boolean | undefined {
  const word = typeof input === 'boolean' || typeof input === 'number' || typeof input === 'string' ? String(input) : '';
  if (/^(?:y|yes|true|on|1|enabled?)$/i.test(word.trim())) return true;
  return /^(?:n|no|none|false|of+|0|disabled?)$/i.test(word.trim()) ? false : undefined;
}

/** A hint how to correct a value of the wrong kind. */
export function hintForIssue(issue: z.core.$ZodIssue): string | undefined {
  const { code, input } = issue;
  if (code === 'invalid_value') {
    const meant = intendedChoice(input, issue.values.map(String));
    if (meant !== undefined) return `did you mean \`${meant}\`?`;
    return switchOf(input) === false && issue.values.length === 1 ? 'leave the key out' : undefined;
  }
  if (code === 'invalid_type' && issue.expected === 'boolean') {
    const said = switchOf(input);
    return said === undefined ? undefined : `write \`${said}\``;
  }
  const expected = code === 'invalid_type' ? issue.expected : code === 'invalid_union' ? 'string' : undefined;
  if (input === null) return 'there is no value after the colon: write one, or delete the key';
  const isScalar = ['string', 'number', 'boolean'].includes(typeof input);
  if (typeof input === 'number' && issue.message.startsWith('expected a duration')) return `write \`${input}s\` for seconds`;
  if (expected === 'string' && isScalar && typeof input !== 'string') return 'put it in quotes';
  return expected === 'array' && isScalar ? 'put brackets around it' : undefined;
}

type SyntaxCode = YAMLError['code'];

interface MistakeText {
  readonly message: string;
  readonly hint: string;
}

const ALIASES: MistakeText = {
  message: 'this anchor `&name` or alias `*name` has the wrong form',
  hint: 'write `&name` before a value and `*name` for it later, or write the value out; a text that begins with `*` or `&` needs quotes',
};
const TAGS: MistakeText = {
  message: 'a word that begins with `!` is a YAML tag, and mappings have no tags',
  hint: 'put a text that begins with `!` in quotes',
};
const INDENT: MistakeText = {
  message: 'this line has neither the indentation of the line above nor one level more',
  hint: 'keys of one level begin in the same column; one level more is two spaces',
};
const FLOW: MistakeText = {
  message: 'a `key: value` stands inside brackets without a comma before it',
  hint: 'put commas between the things in brackets; nested keys and lists need brackets too',
};
const NO_KEY: MistakeText = {
  message: 'this line is not a `key: value`',
  hint: 'a key needs a colon and a blank after it; a text of several lines needs quotes',
};
const OUT_OF_PLACE: MistakeText = {
  message: 'this does not belong here',
  hint: 'check this line and the line before: a bracket, quote, comma or the indentation is wrong; write a quote inside quotes twice',
};
const SIGN_MISSING: MistakeText = {
  message: 'a bracket, quote, comma or colon is missing here',
  hint: 'check this line and the line before',
};

/** One sentence for each code of the YAML library. If it adds a code, this table does not compile until it has a sentence. */
export const SYNTAX: Readonly<Record<SyntaxCode, MistakeText>> = {
  ALIAS_PROPS: ALIASES,
  BAD_ALIAS: ALIASES,
  BAD_DIRECTIVE: {
    message: 'a line that begins with `%` is a YAML directive',
    hint: 'delete the line: mappings need no directives',
  },
  BAD_DQ_ESCAPE: {
    message: 'this use of a backslash is not allowed in double quotes',
    hint: "use single quotes, where a backslash is a plain character: 'a\\b'",
  },
  BAD_INDENT: INDENT,
  BAD_PROP_ORDER: ALIASES,
  BAD_SCALAR_START: {
    message: 'a text cannot begin with this character',
    hint: "put the text in quotes: '@shop'",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'there is a second `key:` in a value',
    hint: 'a text with a colon and a blank in it needs quotes; nested keys go between `{ }` or on lines of their own',
  },
  BLOCK_IN_FLOW: FLOW,
  DUPLICATE_KEY: { message: 'this key is here for the second time', hint: 'keep one of the two' },
  IMPOSSIBLE: OUT_OF_PLACE,
  KEY_OVER_1024_CHARS: {
    message: 'a key is longer than 1024 characters',
    hint: 'most likely a quote or a line break is missing',
  },
  MISSING_CHAR: SIGN_MISSING,
  MULTILINE_IMPLICIT_KEY: NO_KEY,
  MULTIPLE_ANCHORS: ALIASES,
  MULTIPLE_DOCS: {
    message: 'a second document begins here',
    hint: 'delete the line `---`, or put what follows into a file of its own',
  },
  MULTIPLE_TAGS: TAGS,
  NON_STRING_KEY: { message: 'a key is a text or a number', hint: 'put the key in quotes' },
  RESOURCE_EXHAUSTION: {
    message: 'brackets or levels are nested too deeply',
    hint: 'nothing in a mapping needs more than a few levels',
  },
  TAB_AS_INDENT: { message: 'a tab is used for indentation', hint: 'use two spaces for each level' },
  TAG_RESOLVE_FAILED: TAGS,
  UNEXPECTED_TOKEN: OUT_OF_PLACE,
  BAD_COLLECTION_TYPE: TAGS,
};

/** Patterns of the library's messages, which are more exact than its codes. The messages are only matched, never shown. */
const CLOSER: readonly (readonly [RegExp, MistakeText])[] = [
  [
    /closing ['"]quote/,
    { message: 'a text in quotes is not closed', hint: 'add the missing quote; write a quote inside quotes twice' },
  ],
  [/end with a \]/, { message: 'the bracket `[` is not closed', hint: 'put `]` where the list ends' }],
  [/end with a \}/, { message: 'the bracket `{` is not closed', hint: 'put `}` where its keys end' }],
  [/Missing , /, { message: 'a comma is missing before this', hint: 'put commas between the things in brackets' }],
  [
    /Unexpected (?:,|empty item)/,
    { message: 'this comma is one too many', hint: 'delete it, or add the missing value before it' },
  ],
  [/flow-(?:map|seq)-end/, { message: 'this bracket closes nothing', hint: 'delete it, or add the opening bracket' }],
  [/space after :/, { message: 'a blank is missing after the colon', hint: 'write `key: value`' }],
  [/followed by map values/, NO_KEY],
];

export function describeSyntaxError({ code, message }: Pick<YAMLError, 'code' | 'message'>): MistakeText {
  return CLOSER.find(([pattern]) => pattern.test(message))?.[1] ?? SYNTAX[code];
}
