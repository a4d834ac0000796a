/** Checks the texts of files before they are parsed: encoding, invisible and look-alike letters, secrets. */
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { MappingFileText } from '../load';
import type { Problem } from '../problem';
import { findSecrets } from '../../domain/shown-words';
import { RULES, type RuleId } from './rules';

/** A mapping is written by hand; the largest shipped file has 5 kB. */
const FILE_CHARACTERS_MAX = 1_000_000;
const MARK = '\uFEFF';
/** A value of words or a quoted text, then a # with a blank before it and none after it: comments in mappings are not written so. */
const CUT_TEXT = /^(\s*[\w'"*-]+:\s+(?:"[^"]*"|'[^']*'|[^\s'"[{|>&*!#$][^#]*?\s[^#]*?)\s+)(#[^\s#!]\S*)/;

/** Gives the files that can be parsed, without byte-order marks. */
export function checkTexts(files: readonly MappingFileText[]) {
  const problems: Problem[] = [];
  const readable: MappingFileText[] = [];
  for (const given of files) {
    const hasMark = given.text.startsWith(MARK);
    const file = hasMark ? { ...given, text: given.text.slice(1) } : given;
    const tell = (line: number, column: number, code: RuleId, message: string, more: Pick<Problem, 'fix'> = {}): void => {
      problems.push({ file: file.file, line, column, code, severity: RULES[code].severity, message, ...more });
    };
    if (file.text.length > FILE_CHARACTERS_MAX) {
      tell(1, 1, 'file-too-large', `this file has more than ${FILE_CHARACTERS_MAX.toLocaleString('en')} characters`);
      continue;
    }
    readable.push(file);
    if (hasMark) tell(1, 1, 'byte-order-mark', 'this file begins with a byte-order mark', { fix: { kind: 'unmark', path: [] } });
    if (isBlank(file.text)) tell(1, 1, 'empty-file', 'there is nothing in this file but comments');
    checkLines(file.text, tell);
    for (const { line, column, code, message } of findStrangeLetters(file.text)) tell(line, column, code, message);
  }
  return { files: readable, problems };
}

function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
}

function checkLines(text: string, tell: (line: number, column: number, code: RuleId, message: string) => void): void {
  for (const [index, line] of text.split('\n').entries()) {
    const place = line.indexOf('\uFFFD');
    if (place >= 0) tell(index + 1, place + 1, 'not-utf8', 'these bytes are not a UTF-8 character');
    const cut = CUT_TEXT.exec(line);
    if (cut !== null) tell(index + 1, cut[1]!.length + 1, 'text-cut-by-comment', `the text ends before \`${cut[2]!}\``);
    for (const secret of findSecrets(line)) tell(index + 1, secret.index + 1, 'secret-literal', `this looks like ${secret.what}`);
  }
}

interface StrangeLetter {
  readonly line: number;
  readonly column: number;
  readonly code: RuleId;
  readonly message: string;
}

const INVISIBLE = /[\u00A0\u00AD\u200B-\u200F\u2028-\u202F\u205F-\u2064\u3000\uFEFF]/;
/** Letters of other scripts that look like Latin ones, and full-width or mathematical letters. */
const OTHER_LETTER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uFF01-\uFF5E\u{1D400}-\u{1D7FF}]/u;
const WORD = /[\p{L}\p{N}_\u{1D400}-\u{1D7FF}]+/gu;
const QUOTES = '\u2018\u2019\u201A\u201B\u201C\u201D\u201E\u201F\u00AB\u00BB';
const QUOTE = new RegExp(`[${QUOTES}]`);
const QUOTED = new RegExp(`^[${QUOTES}][^]*[${QUOTES}]$|^[${QUOTES}]\\S*$|^\\S*[${QUOTES}]$`);
const ANY = new RegExp([INVISIBLE.source, OTHER_LETTER.source, QUOTE.source].join('|'), 'u');

/** Finds strange letters in texts of the mapping; comments may contain any letters. */
function findStrangeLetters(text: string): StrangeLetter[] {
  // Most files have no such letter outside comments, and a file is only parsed if it may have one.
  if (!text.split('\n').some((line) => ANY.test(line) && ANY.test(line.replace(/(?:^|\s)#.*$/, '')))) return [];
  const lines = new LineCounter();
  const found: StrangeLetter[] = [];
  visit(parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'error' }), {
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
    return { code: 'invisible-character', message: `${nameOf(invisible)}, an invisible character, is in \`${shown(value)}\`` };
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
    message: `${nameOf(QUOTE.exec(value)![0])} is not a quote in YAML: it is part of \`${shown(value)}\``,
  };
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The value with invisible characters replaced by their names. */
function shown(value: string): string {
  const visible = value.replaceAll(new RegExp(INVISIBLE.source, 'g'), (character) => `<${nameOf(character)}>`);
  return visible.length > 60 ? `${visible.slice(0, 60)}…` : visible;
}
