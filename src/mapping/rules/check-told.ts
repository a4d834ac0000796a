/**
 * The replies that would be sent, every layer laid: whether some script takes a constant in one for another outcome. Which
 * words, fields and texts decide stands in `read-as.ts`.
 */
import type { ReplyOutcome } from '../mapping';
import { isFields, type PlacedValue } from '../merge-layers';
import { TEXT_OUTCOMES } from './check-words';
import type { Checking } from './checking';
import { isDeciding, misreadAs, textTells, WORD_RULES } from './read-as';
import { blockReply, listReplies, listReply, outcomeReplies } from './reply-layers';
import { toldConstants, type ToldConstant } from './told-constants';

/** A constant in a row of orders has no outcome of its own. Whatever it says is untrue of one of these. */
const ALL_BUT_SUCCESS = ['pending', 'failure'] as const;

export function checkTold(checking: Checking): void {
  const { source } = checking;
  const told = new Set<string>();
  const judge = (outcome: ReplyOutcome, fields: Iterable<readonly [string, PlacedValue]>): void => {
    for (const [name, { value, path }] of fields) {
      // At the top of a reply these two have rules of their own.
      if (name === 'error' || (name === 'success' && outcome !== 'success')) continue;
      for (const constant of toldConstants(name, value, path, source.words[outcome], source)) {
        // A shared block is judged wherever it is included, and told once.
        const key = JSON.stringify([outcome, constant.path]);
        if (!told.has(key)) judgeConstant(outcome, constant, checking);
        told.add(key);
      }
    }
  };
  for (const { outcome, fields } of outcomeReplies(source)) judge(outcome, fields);
  judge('failure', blockReply('refusal', 'failure', source));
  for (const [name, placed] of listObjects(checking)) judge('success', [[name, placed]]);
  checkTexts(checking);
}

/** Objects around lists: those of operations, and those of single callers. */
function listObjects({ source }: Checking): [string, PlacedValue][] {
  const ofLists = Object.entries(source.operations).flatMap(([name, { kind }]) =>
    kind === 'list'
      ? listReplies(name, source).flatMap((one) => (isFields(one.reply.success) ? listReply(one, source) : []))
      : [],
  );
  const ofCallers = Object.entries(source.callers.keys).flatMap(([fingerprint, { lists }]) =>
    Object.entries(lists ?? {}).map(([name, value]): PlacedValue => ({
      value,
      path: ['callers', 'keys', fingerprint, 'lists', name],
    })),
  );
  return [...ofLists, ...ofCallers].map((placed) => [String(placed.path.at(-1)), placed]);
}

function judgeConstant(told: ReplyOutcome, { name, value, path, isOfEveryOrder }: ToldConstant, { report }: Checking): void {
  const outcome = isOfEveryOrder ? ALL_BUT_SUCCESS.find((one) => misreadAs(one, name, value) !== undefined) : told;
  const other = outcome === undefined ? undefined : misreadAs(outcome, name, value);
  if (outcome === undefined || other === undefined) return;
  const of = isOfEveryOrder ? `every order, also of one that is a ${outcome},` : `a ${outcome}`;
  if (typeof value === 'string' && !isDeciding(name) && textTells(outcome, value) !== undefined)
    report(path, 'text-of-other-outcome', `\`${name}\` of ${of} tells a ${other}: “${value}”`);
  else report(path, WORD_RULES[outcome], `\`${name}\` of ${of} is \`${String(value)}\`, which scripts read as ${other}`);
}

function checkTexts({ source, report }: Checking): void {
  for (const [key, text] of Object.entries(source.texts)) {
    const outcome = new Map<string, ReplyOutcome>(Object.entries(TEXT_OUTCOMES)).get(key);
    const other = outcome === undefined ? undefined : textTells(outcome, text);
    if (other !== undefined)
      report(['texts', key], 'text-of-other-outcome', `the text of \`${key}\` tells a ${other}: “${text}”`);
  }
}
