/** Plays the cases against each broken mapping until one of them notices. */
import type { LegacyRequest } from '../../domain/legacy';
import { compileSound } from '../../mapping/compile';
import type { Mapping } from '../../mapping/mapping';
import type { MappingSource } from '../../mapping/source';
import type { Case } from '../case/cases';
import { shownRules, type Surroundings } from '../case/coverage';
import { runCase, type CaseParts, type CaseResult, type RequestReader } from '../case/run-cases';
import { editSource, type Mutant } from './mutant';
import { listMutants, narrowSource } from './mutate';

export type MutationResult = Awaited<ReturnType<typeof runMutants>>;

/**
 * `noticed` is the number of breaks that a case notices, and `missed` has those that none does. A break without a usable mapping does not judge the
 * cases, because no gateway could run it: `unusable` is the number of these.
 */
export async function runMutants(
  results: readonly CaseResult[],
  around: Surroundings,
  parts: Omit<CaseParts, 'mapping'>,
  mutants: readonly Mutant[] = listMutants(around.source),
) {
  const playing: Playing = { ...parts, read: readOnce(parts.read), titles: new Map() };
  const passed = await findPassedCases(results, around, playing);
  const missed: Mutant[] = [];
  let noticed = 0;
  let unusable = 0;
  for (const mutant of mutants) {
    const end = await judgeMutant(mutant, around.source, passed, playing);
    if (end === 'noticed') noticed += 1;
    else if (end === 'unusable') unusable += 1;
    else missed.push(mutant);
  }
  return { noticed, unusable, missed };
}

interface Playing extends Omit<CaseParts, 'mapping'> {
  /** For each place, and for each name at the end of a place, the title of the case that noticed the last break there. */
  readonly titles: Map<string, string>;
}

interface PassedCase {
  readonly played: Case;
  /** The operations that took part in the case: it may notice breaks of these. */
  readonly operations: readonly string[];
  /** The operations without which the case cannot be played. */
  readonly needs: readonly string[];
  /** The places of the rules that the case shows, and all places above them. For breaks at these places the case is played early. */
  readonly shown: ReadonlySet<string>;
  /** How many breaks the case has noticed. A case that has noticed breaks is likely to notice the next one. */
  noticed: number;
}

/** The cases that pass. A case that does not pass with its own operations alone needs all operations. */
async function findPassedCases(
  results: readonly CaseResult[],
  around: Surroundings,
  playing: Playing,
): Promise<readonly PassedCase[]> {
  const all = Object.keys(around.source.operations).sort();
  const narrow = new Map<string, Mapping>();
  const passed: PassedCase[] = [];
  for (const result of results.filter(({ differences }) => differences.length === 0)) {
    const operations = [...result.operations].sort();
    const key = operations.join();
    const mapping = narrow.get(key) ?? compileSound(narrowSource(around.source, new Set(operations)));
    if (mapping !== undefined) narrow.set(key, mapping);
    const isEnough = mapping !== undefined && (await isAsExpected(result.played, mapping, playing));
    passed.push({
      played: result.played,
      operations,
      needs: isEnough ? operations : all,
      shown: placesOf(shownRules(result, around)),
      noticed: 0,
    });
  }
  return passed;
}

function placesOf(ids: ReadonlySet<string>): Set<string> {
  const places = new Set<string>();
  for (const id of ids) {
    // An id has the kind, the path and `more`: see `idOf`.
    const path = id.split('\0').slice(1, -1);
    for (let length = path.length; length > 0; length -= 1) places.add(path.slice(0, length).join('\0'));
  }
  return places;
}

async function isAsExpected(played: Case, mapping: Mapping, { fixtures, read }: Playing): Promise<boolean> {
  return (await runCase(played, { mapping, fixtures, read })).differences.length === 0;
}

async function judgeMutant(
  mutant: Mutant,
  source: MappingSource,
  passed: readonly PassedCase[],
  playing: Playing,
): Promise<'noticed' | 'unusable' | 'missed'> {
  const broken = editSource(source, mutant.edits);
  const compiled = new Map<string, Mapping>();
  for (const one of casesInOrder(mutant, passed, playing.titles)) {
    const key = one.needs.join();
    const mapping = compiled.get(key) ?? compileSound(narrowSource(broken, new Set(one.needs)));
    if (mapping === undefined) return 'unusable';
    compiled.set(key, mapping);
    if (await isAsExpected(one.played, mapping, playing)) continue;
    one.noticed += 1;
    for (const place of [...prefixesOf(mutant), nameOf(mutant)]) playing.titles.set(place, one.played.title);
    return 'noticed';
  }
  return 'missed';
}

/**
 * The cases that can notice the break, in the order of play. First come the rows of the case that noticed the last break
 * nearby, those of the case that noticed the last break of a rule of this name, then cases that show the broken rule or one close to it, then
 * those that have noticed most so far.
 */
function casesInOrder(mutant: Mutant, passed: readonly PassedCase[], titles: ReadonlyMap<string, string>): PassedCase[] {
  const { operations } = mutant;
  const able = passed.filter((one) => operations === undefined || one.operations.some((name) => operations.includes(name)));
  const prefixes = prefixesOf(mutant);
  const titleNear = prefixes
    .slice(0, -1)
    .map((prefix) => titles.get(prefix))
    .find((title) => title !== undefined);
  const titleOfName = titles.get(nameOf(mutant));
  const rank = ({ played: { title }, shown, noticed }: PassedCase): number => {
    const missing = prefixes.findIndex((prefix) => shown.has(prefix));
    const closeness = missing === -1 ? 0 : prefixes.length - missing;
    const early = title === titleNear ? 2 : title === titleOfName ? 1 : 0;
    return early * 1_000_000_000 + closeness * 1_000_000 + noticed;
  };
  const ranks = new Map(able.map((one) => [one, rank(one)]));
  return able.sort((one, other) => ranks.get(other)! - ranks.get(one)!);
}

/** The place of the break and those above it, the longest first. */
function prefixesOf({ path }: Mutant): readonly string[] {
  return path.map((_, index) =>
    path
      .slice(0, path.length - index)
      .map(String)
      .join('\0'),
  );
}

/** The name of the broken rule: the last of its path that is no place in a list. No place begins with this character. */
function nameOf({ path }: Mutant): string {
  return `\0${path.findLast((part) => typeof part === 'string')}`;
}

/** Reads each request of a case only once: how it is read does not depend on the mapping. */
function readOnce(read: RequestReader): RequestReader {
  const known = new Map<string, LegacyRequest>();
  return async (written, clientAddress) => {
    const key = JSON.stringify(written);
    const request = known.get(key) ?? (await read(written, clientAddress));
    known.set(key, request);
    return { ...request, clientAddress };
  };
}
