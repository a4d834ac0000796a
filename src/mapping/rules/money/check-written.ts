/** What can only be a slip of the pen: names that no field has, a source without its `$`, a word that no script compares with. */
import { everyReply } from '../../merge-layers';
import type { YamlPath } from '../../read-yaml';
import { OUTPUT_TRANSFORMS, TABLE_TRANSFORMS } from '../../output-transforms';
import type { FieldSource, ValueSource } from '../../language/schema';
import { ROOT_SHAPES } from '../../shape/source-shapes';
import type { MappingSource } from '../../source';
import type { Checking } from '../checking';

/** Characters that no script has in the name of a field, and how they came there. */
const IMPOSSIBLE: Readonly<Record<string, string>> = {
  ' ': 'is a comma missing?',
  '\t': 'is a comma missing?',
  ',': 'write two names, each by itself',
  ';': 'write two names, each by itself',
  '#': 'a comment needs a blank before its #',
  $: 'a spelling is what the script sends, without $',
  ':': 'a colon belongs after the name of a key',
  '"': 'quotes belong around the whole name, or nowhere',
  "'": 'quotes belong around the whole name, or nowhere',
  '|': 'a spelling takes no transform',
};

export function checkWritten(checking: Checking): void {
  const { source } = checking;
  for (const [spelling, path] of spellingsOf(source)) checkSpelling(spelling, path, checking);
  for (const { reply, path, operation } of everyReply(source))
    for (const layer of ['always', 'success', 'pending', 'failure'] as const)
      checkValue(reply[layer] ?? null, [...path, layer], source.operations[operation ?? '']?.fields ?? {}, checking);
  for (const [name, { call, fields = {} }] of Object.entries(source.operations))
    checkValue(call?.send ?? null, ['operations', name, 'call', 'send'], fields, checking);
  for (const [name, row] of Object.entries(source.rows)) checkValue(row, ['rows', name], {}, checking);
}

/** What is read. What is ignored may be called anything: nothing depends on it. */
function* spellingsOf({ operations, formats, request_id: requestId }: MappingSource): Generator<[string, YamlPath]> {
  function* of(list: readonly string[] | undefined, path: YamlPath): Generator<[string, YamlPath]> {
    for (const [index, spelling] of (list ?? []).entries()) yield [spelling, [...path, index]];
  }
  for (const [name, { fields }] of Object.entries(operations)) {
    const path = ['operations', name];
    for (const [field, { from, otherwise }] of Object.entries(fields ?? {})) {
      yield* of(from, [...path, 'fields', field, 'from']);
      yield* of(otherwise, [...path, 'fields', field, 'otherwise']);
    }
  }
  for (const [id, { operations: own, proof }] of formats) {
    for (const [name, { fields }] of Object.entries(own ?? {}))
      for (const [field, { from }] of Object.entries(fields ?? {}))
        yield* of(from, ['formats', id, 'operations', name, 'fields', field, 'from']);
    for (const [index, signal] of (proof ?? []).entries()) {
      yield* of(signal.any_field, ['formats', id, 'proof', index, 'any_field']);
      yield* of(signal.all_fields, ['formats', id, 'proof', index, 'all_fields']);
    }
  }
  yield* of(requestId, ['request_id']);
}

/** Blanks around it are a rule of their own, which can mend them. */
function checkSpelling(spelling: string, path: YamlPath, { report }: Checking): void {
  const character = [...spelling.trim()].find((one) => Object.hasOwn(IMPOSSIBLE, one));
  if (character === undefined) return;
  const what = character.trim() === '' ? 'a blank' : `\`${character}\``;
  report(path, 'spelling-impossible', `no field is called \`${spelling}\`: there is ${what} in it`, {
    hint: IMPOSSIBLE[character]!,
  });
}

type Fields = Readonly<Record<string, FieldSource>>;

function checkValue(value: ValueSource, path: YamlPath, fields: Fields, checking: Checking): void {
  if (typeof value === 'string') {
    checkText(value, path, fields, checking);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, part] of Object.entries(value as Readonly<Record<string, ValueSource>>))
    if (!['row', 'only', 'when', 'where', 'where_any'].includes(key)) checkValue(part, [...path, key], fields, checking);
}

function checkText(text: string, path: YamlPath, fields: Fields, checking: Checking): void {
  const key = String(path.at(-1));
  if ((key === 'status' || key === 'Status') && !text.startsWith('$') && path[0] !== 'rows') checkWord(key, text, path, checking);
  if (text.startsWith('$')) return;
  const found = sourceWithoutDollar(text, path, fields);
  if (found !== undefined)
    checking.report(path, 'dollar-forgotten', `\`${text}\` would be told as it stands here`, { hint: `write \`${found}\`` });
}

const isRoot = (name: string, fields: Fields): boolean =>
  Object.hasOwn(ROOT_SHAPES, name) || Object.hasOwn(fields, name) || name === 'v1' || name === 'row';

/** The source that a text was meant to be. */
function sourceWithoutDollar(text: string, path: YamlPath, fields: Fields): string | undefined {
  const [, dollar = '', root = '', rest = ''] = /^\s*(\$?)\s*([A-Za-z_]\w*)((?:\.\w+)*(?:\s*\|\s*\w+)*)\s*$/.exec(text) ?? [];
  if (root === '' || !isRoot(root, fields)) return undefined;
  const last = rest.split('|').slice(1).at(-1)?.trim();
  const isTransformed = last !== undefined && (Object.hasOwn(OUTPUT_TRANSFORMS, last) || Object.hasOwn(TABLE_TRANSFORMS, last));
  const meant = `$${root}${rest}`;
  if (dollar !== '' || rest.startsWith('.') || isTransformed) return meant;
  if (rest !== '') return undefined;
  // A word that is also the name of a field, such as `service: cable`, is told of something else.
  const key = String(path.at(-1));
  const field = Object.hasOwn(fields, root) ? fields[root] : undefined;
  const isSent = path[2] === 'call';
  const isOwnName = field !== undefined && [root, ...field.from, ...(field.otherwise ?? [])].includes(key);
  return isSent || isOwnName || root === 'text' ? meant : undefined;
}

/** Spellings of a format's own words are left to its author; the words of `words` are judged in check-words.ts. */
function checkWord(key: string, word: string, path: YamlPath, { report }: Checking): void {
  const strange = /[^\x20-\x7E]/.exec(word)?.[0];
  const what =
    strange === undefined
      ? 'a blank around it'
      : `U+${strange.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} in it`;
  if (word.trim() !== word || strange !== undefined)
    report(path, 'word-not-exact', `no script compares \`${key}\` with \`${word}\`: there is ${what}`);
}
