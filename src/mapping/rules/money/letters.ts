/** Characters that look like others, or like nothing at all, in what a mapping says; comments may hold what they like. */
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { RuleId } from '../rules';

export interface StrangeLetter {
  readonly line: number;
  readonly column: number;
  readonly code: RuleId;
  readonly message: string;
}

const INVISIBLE = /[\u00A0\u00AD\u200B-\u200F\u2028-\u202F\u205F-\u2064\u3000\uFEFF]/;
/** Letters of another script in one word with ours, and letters in full width or in bold for mathematics. */
const OTHER_LETTER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uFF01-\uFF5E\u{1D400}-\u{1D7FF}]/u;
const WORD = /[\p{L}\p{N}_\u{1D400}-\u{1D7FF}]+/gu;
const QUOTES = '\u2018\u2019\u201A\u201B\u201C\u201D\u201E\u201F\u00AB\u00BB';
const QUOTE = new RegExp(`[${QUOTES}]`);
const QUOTED = new RegExp(`^[${QUOTES}][^]*[${QUOTES}]$|^[${QUOTES}]\\S*$|^\\S*[${QUOTES}]$`);
const ANY = new RegExp([INVISIBLE.source, OTHER_LETTER.source, QUOTE.source].join('|'), 'u');

export function findStrangeLetters(text: string): StrangeLetter[] {
  // Most files have none outside their comments: only then it is worth reading one more closely.
  if (!text.split('\n').some((line) => ANY.test(line) && ANY.test(line.replace(/(?:^|\s)#.*$/, '')))) return [];
  const lines = new LineCounter();
  const found: StrangeLetter[] = [];
  visit(parseDocument(text, { lineCounter: lines, logLevel: 'error' }), {
    Scalar(_key, node) {
      if (!isScalar(node) || typeof node.value !== 'string' || node.range === null || node.range === undefined) return;
      const strange = judge(node.value);
      if (strange === undefined) return;
      const { line, col } = lines.linePos(node.range[0]);
      found.push({ line, column: col, ...strange });
    },
  });
  return found;
}

function judge(value: string): Pick<StrangeLetter, 'code' | 'message'> | undefined {
  const invisible = INVISIBLE.exec(value)?.[0];
  if (invisible !== undefined)
    return { code: 'invisible-character', message: `${nameOf(invisible)} stands in \`${shown(value)}\`` };
  const mixed = (value.match(WORD) ?? []).find((word) => OTHER_LETTER.test(word) && /[A-Za-z0-9]/.test(word));
  if (mixed !== undefined) {
    const letter = OTHER_LETTER.exec(mixed)![0];
    return {
      code: 'look-alike-letter',
      message: `\`${letter}\` in \`${shown(mixed)}\` is ${nameOf(letter)}, a letter of another script`,
    };
  }
  if (!QUOTED.test(value)) return undefined;
  return {
    code: 'typographic-quote',
    message: `${nameOf(QUOTE.exec(value)![0])} is no quote of YAML: it is part of \`${shown(value)}\``,
  };
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** So that the reader sees where it is. */
function shown(value: string): string {
  const visible = value.replaceAll(new RegExp(INVISIBLE.source, 'g'), (character) => `<${nameOf(character)}>`);
  return visible.length > 60 ? `${visible.slice(0, 60)}…` : visible;
}
