/** Files as they are before anything is made of them. */
import type { MappingFileText } from '../load';
import type { Problem } from '../problem';
import { findSecrets } from '../../domain/secret-literals';
import { findStrangeLetters } from './money/letters';
import { RULES, type RuleId } from './rules';

/** A mapping is written by hand; the largest shipped file has 9 kB. */
const FILE_CHARACTERS_MAX = 1_000_000;
const MARK = '\uFEFF';
/** Words, or a quoted text, and a # with a blank before it and none behind: no comment of ours is written so. */
const CUT_TEXT = /^(\s*[\w'"*-]+:\s+(?:"[^"]*"|'[^']*'|[^\s'"[{|>&*!#$][^#]*?\s[^#]*?)\s+)(#[^\s#!]\S*)/;

export interface CheckedTexts {
  /** What can be read further, without byte-order marks. */
  readonly files: readonly MappingFileText[];
  readonly problems: readonly Problem[];
}

export function checkTexts(files: readonly MappingFileText[]): CheckedTexts {
  const problems: Problem[] = [];
  const readable: MappingFileText[] = [];
  for (const given of files) {
    const hasMark = given.text.startsWith(MARK);
    const file = hasMark ? { ...given, text: given.text.slice(1) } : given;
    const tell = (line: number, column: number, code: RuleId, message: string): void => {
      problems.push({ file: file.file, line, column, code, severity: RULES[code].severity, message });
    };
    if (file.text.length > FILE_CHARACTERS_MAX) {
      tell(1, 1, 'file-too-large', `this file has more than ${FILE_CHARACTERS_MAX.toLocaleString('en')} characters`);
      continue;
    }
    readable.push(file);
    if (hasMark) {
      tell(1, 1, 'byte-order-mark', 'this file begins with a byte-order mark');
      problems.push({ ...problems.pop()!, fix: { kind: 'unmark', path: [] } });
    }
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
    if (place >= 0) tell(index + 1, place + 1, 'not-utf8', 'these bytes are no UTF-8 character');
    const cut = CUT_TEXT.exec(line);
    if (cut !== null) tell(index + 1, cut[1]!.length + 1, 'text-cut-by-comment', `the text ends before \`${cut[2]!}\``);
    for (const secret of findSecrets(line)) tell(index + 1, secret.index + 1, 'secret-literal', `this looks like ${secret.what}`);
  }
}
