/**
 * Checks the words and texts of outcomes and the constants in merged replies: every known script must understand them as the outcome
 * of the reply, and none as another outcome. `read-as.ts` has the words, fields and texts by which scripts decide.
 */
import { isJsonObject, isList, type JsonObject } from '../../domain/json';
import { TOLD_AS } from '../../domain/outcome';
import { parseExpression } from '../expression';
import type { OutcomeWords, ValueSource } from '../language/schema';
import { OUTCOMES, type ReplyOutcome } from '../mapping';
import { isFields, refusalFields, type PlacedValue } from '../merge-layers';
import { hintFor } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import { partsAt, type MappingSource } from '../source';
import type { Checking } from './checking';
import { isDeciding, misreadOutcome, otherOutcomeOfText, UNDERSTOOD_WORDS, UNREAD_WORDS, WORD_RULES } from './read-as';
import { listOfEach } from './walk-value';

/**
 * The keys of the gateway's own texts, with the outcome that each must express. The last three are for lookups and lists.
 * `unanswered` is for questions about orders, and must not read as a final outcome.
 */
const TEXT_OUTCOMES = {
  ...TOLD_AS,
  absent: 'failure',
  unanswered: 'pending',
  found: 'success',
  not_found: 'failure',
  unavailable: 'failure',
} as const satisfies Readonly<Record<string, ReplyOutcome>>;
export const OUTCOME_TEXT_KEYS = Object.keys(TEXT_OUTCOMES);

export function checkOutcomeWords(checking: Checking): void {
  const { source, report } = checking;
  for (const outcome of OUTCOMES)
    for (const key of ['status', 'Status'] as const) {
      const word = source.words[outcome][key];
      const understood = UNDERSTOOD_WORDS[outcome][key];
      if (!understood.includes(word))
        report(['words', outcome, key], WORD_RULES[outcome], `not every script reads \`${word}\` as ${outcome}`, {
          hint: `use \`${understood[0]!}\``,
        });
    }
  for (const key of ['status', 'Status'] as const) {
    const word = source.words.unread?.[key] ?? UNREAD_WORDS[key];
    if (word !== UNREAD_WORDS[key])
      report(['words', 'unread', key], WORD_RULES.pending, `some script reads \`${word}\` as sold or failed`, {
        hint: `use \`${UNREAD_WORDS[key]}\``,
      });
  }
  if (source.words.unread === undefined)
    report(['words'], 'unread-missing', 'there are no words for `unread`: it would be told as a failure');
  checkHttp(checking);
  checkTexts(checking);
}

function checkHttp({ source, report }: Checking): void {
  for (const outcome of OUTCOMES) {
    const { http } = source.words[outcome];
    const isRight = outcome === 'failure' ? http >= 400 && http <= 499 : http === 200;
    if (!isRight)
      report(['words', outcome, 'http'], 'outcome-http', `${http} does not fit a ${outcome}`, {
        hint: outcome === 'failure' ? 'use 400' : 'use 200',
      });
  }
}

function checkTexts({ source, report }: Checking): void {
  for (const [key, text] of Object.entries(source.texts)) {
    if (!OUTCOME_TEXT_KEYS.some((known) => known === key))
      report(['texts', key], 'text-unknown', `no outcome is called \`${key}\``, hintFor(key, OUTCOME_TEXT_KEYS));
    if (text.trim() === '') report(['texts', key], 'text-empty', `the text of \`${key}\` is empty`);
    const word = /balance|insufficient/i.exec(text)?.[0];
    if (word !== undefined) report(['texts', key], 'text-says-balance', `some scripts hide a text that contains “${word}”`);
  }
  const missing = OUTCOME_TEXT_KEYS.filter((key) => source.texts[key] === undefined);
  if (missing.length > 0) {
    const [any] = Object.keys(source.texts);
    report(any === undefined ? ['words'] : ['texts', any], 'text-missing', `there is no text for ${missing.join(', ')}`);
  }
}

/** A constant in a row of the order history is shown for orders of every outcome, so it must be true for these two as well. */
const ALL_BUT_SUCCESS = ['pending', 'failure'] as const;

export function checkReplyConstants(checking: Checking): void {
  const { source } = checking;
  const judge = (outcome: ReplyOutcome, fields: Iterable<readonly [string, PlacedValue]>): void => {
    for (const [name, { value, path }] of fields) {
      // At the top of a reply these two fields are checked in check-replies.ts.
      if (name === 'error' || (name === 'success' && outcome !== 'success')) continue;
      const around = { words: source.words[outcome], rows: source.rows, isOfEveryOrder: false };
      for (const constant of constantsIn(name, value, path, around)) judgeConstant(outcome, constant, checking);
      if (outcome !== 'failure' || source.words.unread === undefined) continue;
      // The fields of a failure are also told with the words of `unread`, which may sound like a failure or pending, but never sold.
      for (const constant of constantsIn(name, value, path, { ...around, words: source.words.unread }))
        if (misreadOutcome(outcome, constant.name, constant.value) === 'success') judgeConstant(outcome, constant, checking);
    }
  };
  for (const { outcome, fields } of checking.replies) judge(outcome, fields);
  judge('failure', refusalFields(source.blocks));
  // The objects that single callers have around lists, each by the name of its list.
  for (const { names, ...placed } of partsAt(source, 'callers.keys.*.lists.*')) judge('success', [[names[1], placed]]);
  checkTextOutcomes(checking);
}

function judgeConstant(told: ReplyOutcome, { name, value, path, isOfEveryOrder }: ReplyConstant, { report }: Checking): void {
  const outcome = isOfEveryOrder ? ALL_BUT_SUCCESS.find((one) => misreadOutcome(one, name, value) !== undefined) : told;
  const other = outcome === undefined ? undefined : misreadOutcome(outcome, name, value);
  if (outcome === undefined || other === undefined) return;
  const of = isOfEveryOrder ? `every order, also of one that is a ${outcome},` : `a ${outcome}`;
  if (typeof value === 'string' && !isDeciding(name) && otherOutcomeOfText(outcome, value) !== undefined)
    report(path, 'text-of-other-outcome', `\`${name}\` of ${of} reads like a ${other}: “${value}”`);
  else report(path, WORD_RULES[outcome], `\`${name}\` of ${of} is \`${String(value)}\`, which scripts read as ${other}`);
}

function checkTextOutcomes({ source, report }: Checking): void {
  for (const [key, text] of Object.entries(source.texts)) {
    const outcome = new Map<string, ReplyOutcome>(Object.entries(TEXT_OUTCOMES)).get(key);
    const other = outcome === undefined ? undefined : otherOutcomeOfText(outcome, text);
    if (other !== undefined)
      report(['texts', key], 'text-of-other-outcome', `the text of \`${key}\` reads like a ${other}: “${text}”`);
  }
  for (const { value: paused, path } of partsAt(source, 'callers.keys.*.paused')) {
    const other = typeof paused === 'string' ? otherOutcomeOfText('failure', paused) : undefined;
    if (other !== undefined) report(path, 'text-of-other-outcome', `this text reads like a ${other}`);
  }
}

/** A constant that may appear in a reply, whatever the order and v1's answer are. */
interface ReplyConstant {
  /** The name of the innermost field with the constant. */
  readonly name: string;
  readonly value: string | number | boolean;
  readonly path: YamlPath;
  /** True in a row of the order history, which shows the constant for every order. */
  readonly isOfEveryOrder: boolean;
}

type StatusWords = Pick<OutcomeWords, 'status' | 'Status'>;

interface ConstantPlace {
  readonly words: StatusWords;
  readonly rows: MappingSource['rows'];
  readonly isOfEveryOrder: boolean;
}

function constantsIn(name: string, value: ValueSource, path: YamlPath, around: ConstantPlace): ReplyConstant[] {
  if (typeof value === 'string' && value.startsWith('$')) return [];
  if (value === null) return [];
  if (isList(value)) return value.flatMap((item, index) => constantsIn(name, item, [...path, index], around));
  if (!isJsonObject(value)) return [{ name, value, path, isOfEveryOrder: around.isOfEveryOrder }];
  if (isFields(value)) return fieldsWithin(value, path, around);
  if ('first' in value) return constantsIn(name, value['first'] ?? null, [...path, 'first'], around);
  if ('when' in value) return branchesWithin(name, value, path, around);
  return rowsWithin(value, around);
}

function fieldsWithin(fields: JsonObject, path: YamlPath, around: ConstantPlace): ReplyConstant[] {
  return Object.entries(fields).flatMap(([key, part]) => constantsIn(key, part, [...path, key], around));
}

/** The constants in the branches of `when`. In a row of the order history the condition reads the order itself, so none counts. */
function branchesWithin(name: string, object: JsonObject, path: YamlPath, around: ConstantPlace): ReplyConstant[] {
  if (around.isOfEveryOrder) return [];
  const holds = holdsAlways(object['when'] ?? null, around.words);
  const branches = holds === undefined ? ['value', 'else'] : [holds ? 'value' : 'else'];
  return branches.flatMap((branch) => constantsIn(name, object[branch] ?? null, [...path, branch], around));
}

/** Whether the conditions hold; undefined if it is not known at load. Only the status words of the outcome are known then. */
function holdsAlways(conditions: ValueSource, words: StatusWords): boolean | undefined {
  if (!isJsonObject(conditions)) return undefined;
  const held = Object.entries(conditions).map(([key, wanted]) => {
    const { root, path = [] } = parseExpression(key) ?? {};
    if (root !== 'words' || (path[0] !== 'status' && path[0] !== 'Status')) return undefined;
    return wanted === 'present' || wanted === words[path[0]];
  });
  if (held.includes(false)) return false;
  return held.includes(undefined) ? undefined : true;
}

/** The constants in rows of the order history. Rows of the catalog have nothing to do with orders. */
function rowsWithin(object: JsonObject, around: ConstantPlace): ReplyConstant[] {
  const { row } = object;
  if (listOfEach(object) !== 'orders' || typeof row !== 'string' || !Object.hasOwn(around.rows, row)) return [];
  return fieldsWithin(around.rows[row]!, ['rows', row], { ...around, isOfEveryOrder: true });
}
