/** A plan for people: what can move money first, each with its place, then what recorded requests would notice. */
import type { Plan } from '../operator/plan/make-plan';
import type { Replay } from '../operator/replay/replay';
import type { ReplayChange } from '../operator/replay/group-changes';
import type { Difference } from '../operator/plan/difference';

/** Why nothing could be replayed; undefined when it was. */
export type WithoutReplay = 'not asked for' | 'no gateway' | undefined;

export function formatPlan(plan: Plan, without: WithoutReplay): string {
  const { id, running, candidate, differences, replay } = plan;
  return [
    `Plan ${id}: ${headlineOf(plan)}`,
    `  running    ${running}`,
    `  candidate  ${candidate}`,
    ...formatDifferences(differences),
    ...(replay === undefined
      ? [
          without === 'no gateway'
            ? '\nNothing was replayed: no gateway was asked for recorded requests.'
            : '\nNothing was replayed.',
        ]
      : formatReplay(replay)),
  ].join('\n');
}

/** Everything that needs `--accept-money-changes`. */
export function formatMoney({ differences, replay }: Plan): string {
  return [
    ...differences.filter(isMoney).flatMap(formatDifference),
    ...(replay?.changes ?? []).filter(isMoney).flatMap(formatChange),
  ].join('\n');
}

const isMoney = ({ money }: { readonly money?: string }): boolean => money !== undefined;

function headlineOf({ running, candidate, differences, movesMoney }: Plan): string {
  if (running === candidate) return 'the candidate is the running set.';
  const money = differences.filter(isMoney).length;
  if (differences.length === 0)
    return `the files differ, what they say does not${movesMoney ? ', but the replay found changes' : ''}.`;
  const count = `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`;
  if (money === 0) return `${count}, ${movesMoney ? 'and the replay found changes of money.' : 'none of which moves money.'}`;
  return `${count}, ${money === differences.length ? 'which can move money' : `${money} of which can move money`}.`;
}

function formatDifferences(differences: readonly Difference[]): string[] {
  const money = differences.filter(isMoney);
  const rest = differences.filter((one) => !isMoney(one));
  return [
    ...(money.length === 0 ? [] : ['', 'Can move money', ...money.flatMap(formatDifference)]),
    ...(rest.length === 0 ? [] : ['', 'Cannot', ...rest.flatMap(formatDifference)]),
  ];
}

function formatDifference({ words, money, leaves, placeBefore, placeAfter }: Difference): string[] {
  const place =
    placeAfter === undefined
      ? `${placeBefore!.file}:${placeBefore!.line} of the running set`
      : `${placeAfter.file}:${placeAfter.line}`;
  const what = (leaves ?? []).map((leaf) => `      ${leaf}`);
  return [`  ${words}`, `      ${place}${money === undefined ? '' : `  (${money})`}`, ...what];
}

function formatReplay({ shapes, requests, played, changes }: Replay): string[] {
  if (shapes === 0) return ['', 'Nothing was replayed: no requests are recorded.'];
  const what = `Replay of ${counted(shapes, 'recorded shape')} (${counted(requests, 'request')}) with ${counted(played, 'made-up request')}`;
  return changes.length === 0
    ? ['', `${what}: no call and no reply would change.`]
    : ['', `${what}: ${counted(changes.length, 'thing')} would change.`, ...changes.flatMap(formatChange)];
}

function formatChange({
  part,
  operations,
  fields,
  outcomes,
  examples,
  moreExamples,
  shapes,
  requests,
  money,
}: ReplayChange): string[] {
  const mark = money === undefined ? '  ' : '! ';
  const more = moreExamples === 0 ? '' : `, and ${moreExamples} more`;
  const values = examples.map(({ before, after }) => showPair(before, after)).join(', ');
  return [
    `${mark}${operations.join(', ')}: ${partOf(part, fields, outcomes)}${values}${more}`,
    `      in ${counted(shapes, 'shape')}, ${counted(requests, 'request')}${money === undefined ? '' : `  (${money})`}, such as`,
    `      ${examples[0]!.request}`,
  ];
}

function partOf(part: ReplayChange['part'], fields: readonly string[], outcomes: ReplayChange['outcomes']): string {
  switch (part) {
    case 'fate':
      return '';
    case 'operation':
      return 'operation ';
    case 'format':
      return 'format ';
    case 'call':
      return fields.includes('endpoint') ? 'v1 call ' : `v1 call, ${fields.join(', ')} `;
    case 'reply':
      return `reply to ${outcomes.join(', ')}, ${fields.includes('') ? 'the list' : fields.join(', ')} `;
  }
}

const SHOWN_MAX = 60;
/** How much of what is the same stands before the first difference of two long texts. */
const LEAD = 24;

/** Two lists begin alike: shown is the place where they differ. */
function showPair(before: string, after: string): string {
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same += 1;
  const isLong = before.length > SHOWN_MAX || after.length > SHOWN_MAX;
  const from = isLong ? same - LEAD : 0;
  const show = (text: string): string => (from > 0 ? `…${short(text.slice(from))}` : short(text));
  return `${show(before)} -> ${show(after)}`;
}

function short(text: string): string {
  const shown = text === '' ? "''" : text;
  return shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX - 1)}…` : shown;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
