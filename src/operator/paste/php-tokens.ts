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
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const VARIABLE = /\$(\w+)/y;
const WORD = /[A-Za-z_\\][\w\\]*/y;
const SINGLE = /'((?:[^'\\]|\\.)*)'/sy;
const DOUBLE = /"((?:[^"\\]|\\.)*)"/sy;
/** With or without quotes around the name; the closing name may be indented (PHP 7.3). */
const HEREDOC = /<<<[ \t]*(["']?)(\w+)\1\r?\n([\s\S]*?)\r?\n?[ \t]*\2\b/y;
const MARK = /=>|->|::|\?\?|\.=|===?|!==?|&&|\|\||[^\s\w]/y;

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

function readToken(match: (pattern: RegExp) => RegExpExecArray | undefined): Omit<PhpToken, 'line'> | undefined {
  const heredoc = match(HEREDOC);
  if (heredoc !== undefined) {
    const [, quote, , text = ''] = heredoc;
    return quote === "'" ? { kind: 'text', text } : { kind: 'text', text, hasVariables: true };
  }
  const single = match(SINGLE);
  if (single !== undefined) return { kind: 'text', text: single[1]!.replace(/\\([\\'])/g, '$1') };
  const double = match(DOUBLE);
  if (double !== undefined) return { kind: 'text', text: double[1]!, hasVariables: true };
  const variable = match(VARIABLE);
  if (variable !== undefined) return { kind: 'variable', text: variable[1]! };
  const number = match(NUMBER);
  if (number !== undefined) return { kind: 'number', text: number[0].replaceAll('_', '') };
  const word = match(WORD);
  if (word !== undefined) return { kind: 'word', text: word[0].replace(/^\\/, '') };
  const mark = match(MARK);
  // An open quote is no token.
  return mark === undefined || /['"]/.test(mark[0]) ? undefined : { kind: 'mark', text: mark[0] };
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
