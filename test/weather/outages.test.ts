/**
 * v1 is ill for a while, in every way that proves nothing and in the one that proves everything, and scripts of every kind
 * buy meanwhile. What each of them is told, what v1 charges and what is sent, held against the rule; and the page about it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outagePage } from './outage-page';
import { LENGTHS_S, playOutage, WAYS, type Outage, type Story } from './play-outage';

const PAGE = join(__dirname, '..', '..', 'docs', 'outages.md');
const played = new Map<string, Promise<Outage>>();
const rows = Object.keys(WAYS).flatMap((way) => LENGTHS_S.map((lengthS) => [way, lengthS] as const));

function outageOf(way: string, lengthS: number): Promise<Outage> {
  const name = `${way} ${lengthS}`;
  const known = played.get(name) ?? playOutage(way, lengthS);
  played.set(name, known);
  return known;
}

test.each(rows)('%s, for %i s: nobody loses money that could be kept', async (way, lengthS) => {
  const { stories, violations } = await outageOf(way, lengthS);
  expect(violations).toEqual([]);
  expect(stories.flatMap((story) => wrongsOf(story, way).map((wrong) => `${nameOf(story)}: ${wrong}`))).toEqual([]);
});

test('docs/outages.md tells what they were told (UPDATE_DOCS=1 writes it)', async () => {
  const outages = await Promise.all(rows.map(([way, lengthS]) => outageOf(way, lengthS)));
  const page = outagePage(outages);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, page);
  expect(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').toBe(page);
});

function nameOf({ habit, patienceS, instant }: Story): string {
  return `${habit} what is pending, ${patienceS} s, ${instant}`;
}

/** What must not be, whoever the script is. */
function wrongsOf(story: Story, way: string): string[] {
  const { first, last, chargesAgain, v1Status } = story;
  const checks: readonly (readonly [boolean, string])[] = [
    [chargesAgain > 1, `charged ${chargesAgain} times`],
    [first.word === 'success' && v1Status !== 'success', `told success, and v1 has ${v1Status}`],
    [last.word === 'success' && v1Status !== 'success', `later told success, and v1 has ${v1Status}`],
    [first.afterMs > (story.patienceS + 1) * 1_000, `held ${first.afterMs} ms`],
    [!['success', 'pending', 'failure'].includes(first.word ?? ''), `told ${first.word}`],
    ...(first.word === 'failure' ? checksOfFailure(story, way) : []),
    ...(first.word === 'pending' ? checksOfPending(story) : []),
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, wrong]) => wrong);
}

/** Failed at once is only what provably never left. */
function checksOfFailure({ first, last, chargedAfterMs }: Story, way: string): readonly (readonly [boolean, string])[] {
  return [
    [way !== 'connections refused', 'told failed, and nothing proves it'],
    [first.afterMs > 4_000, `told failed only after ${first.afterMs} ms`],
    [chargedAfterMs.length > 0, 'told failed, and charged'],
    [last.word !== 'failure', `told failed, later ${last.word}`],
  ];
}

function checksOfPending({ habit, first, last, journal, chargedAfterMs, leftAt, again, attemptsAgain }: Story) {
  const isCharged = chargedAfterMs.length === 1;
  const after: readonly (readonly [boolean, string])[] = [
    [last.word !== (isCharged ? 'success' : 'failure'), `${isCharged ? 'charged' : 'not charged'}, and later told ${last.word}`],
    [journal?.kind !== (isCharged ? 'succeeded' : 'not_sent'), `the journal has it ${journal?.kind}`],
    [again?.word !== last.word, `told ${again?.word} when it sent the same again`],
    [attemptsAgain > 0, `${attemptsAgain} attempts after its end was known`],
  ];
  if (habit !== 'refunds') return [...after, [!isCharged, 'never bought, and its script has sold it'] as const];
  return [...after, [leftAt.some((at) => at > first.at), 'sent after its script was told pending'] as const];
}
