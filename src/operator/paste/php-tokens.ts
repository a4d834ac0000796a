/** The tokens of a piece of PHP, as far as a request is made of them. */

export interface PhpToken {
  readonly kind: 'text' | 'number' | 'variable' | 'word' | 'mark' | 'end';
  /** Of a variable without its `$`; of a text what it means, its variables still in it. */
  readonly text: string;
  /** Of a text in double quotes: variables stand in it as `$name` or `{$name}`. */
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

/** Throws a sentence when the text ends in the middle of something. */
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
    if (token === undefined)
      throw new Error(`Line ${start}: what stands there is no PHP that can be read: a quote may be missing.`);
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
  // A quote that is not closed is no mark.
  return mark === undefined || /['"]/.test(mark[0]) ? undefined : { kind: 'mark', text: mark[0] };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** What a text in double quotes means; `valueOf` gives what stands in place of a variable. */
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
