/** What is wrong with the YAML of a file, in our words: the library's own sentences are for who knows its grammar. */
import type { YAMLError } from 'yaml';

type SyntaxCode = YAMLError['code'];

export interface Said {
  readonly message: string;
  readonly hint: string;
}

const ALIASES: Said = {
  message: 'an anchor `&name` or an alias `*name` is not written like one',
  hint: 'write `&name` before a value and `*name` for it later, or write the value out; a text that begins with `*` or `&` needs quotes',
};
const TAGS: Said = {
  message: 'a word with `!` is a tag in YAML, and mappings know none',
  hint: 'put a text that begins with `!` in quotes',
};
const INDENT: Said = {
  message: 'this line is indented neither like the one above it nor one level deeper',
  hint: 'what belongs together begins at the same column; one level deeper is two spaces',
};
const FLOW: Said = {
  message: 'a `key: value` stands inside brackets without a comma before it',
  hint: 'put commas between the things in brackets; within `{ }` and `[ ]` everything is written in brackets',
};
const NO_KEY: Said = {
  message: 'this line is no `key: value`',
  hint: 'a key needs a colon and a blank behind it; a text of several lines needs quotes',
};
const OUT_OF_PLACE: Said = {
  message: 'this does not belong here',
  hint: 'look at the line and the one before it: a bracket, a quote, a comma or the indentation is off; a quote inside quotes is written twice',
};
const SIGN_MISSING: Said = {
  message: 'a sign is missing here',
  hint: 'look at the line and the one before it for a bracket, a quote, a comma or a colon that is not there',
};

/** One sentence a code: a code that the library adds does not compile until it has one. */
export const SYNTAX: Readonly<Record<SyntaxCode, Said>> = {
  ALIAS_PROPS: ALIASES,
  BAD_ALIAS: ALIASES,
  BAD_DIRECTIVE: { message: 'a line that begins with `%` is for YAML itself', hint: 'delete it: mappings need none' },
  BAD_DQ_ESCAPE: {
    message: 'a backslash in double quotes means something else, and not this',
    hint: "use single quotes, within which a backslash is itself: 'a\\b'",
  },
  BAD_INDENT: INDENT,
  BAD_PROP_ORDER: ALIASES,
  BAD_SCALAR_START: {
    message: 'a text cannot begin with this sign',
    hint: "put the text in quotes: '@shop'",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'there is a second `key:` in a value',
    hint: 'a text with a colon and a blank in it needs quotes; nested keys go between `{ }` or on lines of their own',
  },
  BLOCK_IN_FLOW: FLOW,
  DUPLICATE_KEY: { message: 'this key stands here for the second time', hint: 'keep one of the two' },
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
    message: 'brackets or levels stand in each other too deeply',
    hint: 'nothing in a mapping needs more than a few levels',
  },
  TAB_AS_INDENT: { message: 'a tab is used for indentation', hint: 'use two spaces for each level' },
  TAG_RESOLVE_FAILED: TAGS,
  UNEXPECTED_TOKEN: OUT_OF_PLACE,
  BAD_COLLECTION_TYPE: TAGS,
};

/** What the library says more exactly than by its code. Only looked for, never shown. */
const CLOSER: readonly (readonly [RegExp, Said])[] = [
  [
    /closing ['"]quote/,
    { message: 'a text in quotes is not closed', hint: 'put the missing quote; a quote inside quotes is written twice' },
  ],
  [/end with a \]/, { message: 'the bracket `[` is not closed', hint: 'put `]` where the list ends' }],
  [/end with a \}/, { message: 'the bracket `{` is not closed', hint: 'put `}` where its keys end' }],
  [/Missing , /, { message: 'a comma is missing before this', hint: 'put commas between the things in brackets' }],
  [/Unexpected (?:,|empty item)/, { message: 'there is a comma too many', hint: 'delete it, or put what is missing before it' }],
  [/flow-(?:map|seq)-end/, { message: 'this bracket closes nothing', hint: 'delete it, or put the one that opens' }],
  [/space after :/, { message: 'a blank is missing behind the colon', hint: 'write `key: value`' }],
  [/followed by map values/, NO_KEY],
];

export function saySyntax({ code, message }: Pick<YAMLError, 'code' | 'message'>): Said {
  return CLOSER.find(([pattern]) => pattern.test(message))?.[1] ?? SYNTAX[code];
}
