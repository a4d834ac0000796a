/** Reads the tokens of PHP code that are needed to find its request. */

export interface PhpToken {
  readonly kind: 'text' | 'number' | 'variable' | 'word' | 'mark' | 'end';
  /** A variable has no `$` here. A text has no quotes; its variables, and the escapes of a text in double quotes, are still in it. */
  readonly text: string;
  /** True for texts in double quotes and heredocs, which may contain `$name` or `{$name}`. */
  readonly hasVariables?: true;
  readonly line: number;
}

const SPACE = /\s+|<\?(?:php|=)?|\?>|\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[\s\S]*?\*\//y;

type Token = Omit<PhpToken, 'line'>;

/** In the order in which they are tried. An open quote is no token. */
const TOKENS: readonly (readonly [RegExp, (found: RegExpExecArray) => Token])[] = [
  // A heredoc, with or without quotes around its name; the closing name may be indented (PHP 7.3).
  [
    /<<<[ \t]*(["']?)(\w+)\1\r?\n([\s\S]*?)\r?\n?[ \t]*\2\b/y,
    ([, quote, , text = '']) => ({ kind: 'text', text, ...(quote !== "'" && { hasVariables: true }) }),
  ],
  [/'((?:[^'\\]|\\.)*)'/sy, ([, text]) => ({ kind: 'text', text: text!.replace(/\\([\\'])/g, '$1') })],
  [/"((?:[^"\\]|\\.)*)"/sy, ([, text]) => ({ kind: 'text', text: text!, hasVariables: true })],
  [/\$(\w+)/y, ([, name]) => ({ kind: 'variable', text: name! })],
  [/\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y, ([text]) => ({ kind: 'number', text: text.replaceAll('_', '') })],
  [/[A-Za-z_\\][\w\\]*/y, ([text]) => ({ kind: 'word', text: text.replace(/^\\/, '') })],
  [/=>|->|::|\?\?|\.=|===?|!==?|&&|\|\||[^\s\w'"]/y, ([text]) => ({ kind: 'mark', text })],
];

/** Throws an Error whose message is for the operator if some text is no token, such as an open quote. */
export function readPhpTokens(text: string): readonly PhpToken[] {
  const tokens: PhpToken[] = [];
  let at = 0;
  let line = 1;
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    line += found[0].split('\n').length - 1;
    return found;
  };
  while (at < text.length) {
    if (match(SPACE) !== undefined) continue;
    const start = line;
    const token = readToken(match);
    if (token === undefined) throw new Error(`Line ${start}: this PHP cannot be read: a quote may be missing.`);
    tokens.push({ ...token, line: start });
  }
  return [...tokens, { kind: 'end', text: '', line }];
}

function readToken(match: (pattern: RegExp) => RegExpExecArray | undefined): Token | undefined {
  for (const [pattern, make] of TOKENS) {
    const found = match(pattern);
    if (found !== undefined) return make(found);
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** Replaces the escapes of a text in double quotes, and its variables by what `valueOf` returns. */
export function fillPhpText(text: string, valueOf: (name: string) => string): string {
  return text.replace(
    /\\u\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{1,2})|\\([nrt"\\$])|\{\$(\w+)\}|\$\{(\w+)\}|\$(\w+)/g,
    (_all, u?: string, x?: string, letter?: string, ...names: (string | undefined)[]) => {
      const code = u ?? x;
      if (code !== undefined) return String.fromCodePoint(parseInt(code, 16));
      if (letter !== undefined) return ESCAPES[letter]!;
      return valueOf(names.slice(0, 3).find((name) => name !== undefined)!);
    },
  );
}
