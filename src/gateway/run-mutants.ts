/** Plays the cases against each broken mapping until one of them notices. */
import type { LegacyRequest } from '../domain/legacy';
import type { Case } from '../mapping/cases';
import { compileMapping } from '../mapping/compile';
import type { Mapping } from '../mapping/mapping';
import { applyMutant, listMutants, narrowSource } from '../mapping/mutate';
import type { Mutant } from '../mapping/mutate/mutant';
import type { Problem } from '../mapping/problem';
import { createReport, type MappingSource } from '../mapping/source';
import type { Surroundings } from './case/shown-rules';
import { shownRules } from './case/shown-rules';
import { createStage, type Stage } from './case/stage';
import { runCase, type CaseParts, type CaseResult, type RequestReader } from './run-cases';

export interface MutationResult {
  /** Breaks that some case notices. */
  readonly noticed: number;
  /** Breaks that make no usable mapping: nobody could run them, so they say nothing of the cases. */
  readonly unusable: number;
  /** Breaks that no case notices. */
  readonly missed: readonly Mutant[];
}

export async function runMutants(
  results: readonly CaseResult[],
  around: Surroundings,
  parts: Omit<CaseParts, 'mapping'>,
  onProgress: (done: number, of: number) => void = () => undefined,
): Promise<MutationResult> {
  const witnesses = results.filter(({ differences }) => differences.length === 0).map((result) => createWitness(result, around));
  const playing: Playing = { ...parts, read: remembered(parts.read), stage: createStage() };
  const mutants = listMutants(around.source);
  const missed: Mutant[] = [];
  let noticed = 0;
  let unusable = 0;
  for (const [index, mutant] of mutants.entries()) {
    const end = await judgeMutant(mutant, around.source, witnesses, playing);
    if (end === 'noticed') noticed += 1;
    else if (end === 'unusable') unusable += 1;
    else missed.push(mutant);
    onProgress(index + 1, mutants.length);
  }
  return { noticed, unusable, missed };
}

interface Playing extends Omit<CaseParts, 'mapping'> {
  readonly stage: Stage;
}

interface Witness {
  readonly played: Case;
  readonly operations: readonly string[];
  /** Places of the rules that the case shows: it is asked first about those. */
  readonly shown: ReadonlySet<string>;
}

function createWitness(result: CaseResult, around: Surroundings): Witness {
  const ids = [...shownRules(result, around)];
  // Between the kind and the remainder stands the path.
  const shown = new Set(ids.map((id) => id.split('\0').slice(1, -1).join('\0')));
  return { played: result.played, operations: [...result.operations].sort(), shown };
}

async function judgeMutant(
  mutant: Mutant,
  source: MappingSource,
  witnesses: readonly Witness[],
  { stage, ...parts }: Playing,
): Promise<'noticed' | 'unusable' | 'missed'> {
  const broken = applyMutant(source, mutant);
  for (const group of groupsFor(mutant, witnesses)) {
    const mapping = compile(narrowSource(broken, new Set(group[0]!.operations)));
    if (mapping === undefined) return 'unusable';
    for (const { played } of group) {
      const { differences } = await runCase(played, { ...parts, mapping }, stage);
      if (differences.length > 0) return 'noticed';
    }
  }
  return 'missed';
}

/** Those who can tell, by the operations they need; whoever shows the broken rule itself comes first. */
function groupsFor({ path, operations }: Mutant, witnesses: readonly Witness[]): Witness[][] {
  const place = path.map(String).join('\0');
  const able = witnesses.filter((one) => operations === undefined || one.operations.some((name) => operations.includes(name)));
  const isNear = (one: Witness): boolean => one.shown.has(place);
  const groups = new Map<string, Witness[]>();
  for (const one of [...able.filter(isNear), ...able.filter((witness) => !isNear(witness))]) {
    const key = one.operations.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function compile(source: MappingSource): Mapping | undefined {
  const problems: Problem[] = [];
  const mapping = compileMapping(source, createReport(source.places, problems));
  return problems.some(({ severity }) => severity === 'error') ? undefined : mapping;
}

/** What a case writes is read the same way under every mapping. */
function remembered(read: RequestReader): RequestReader {
  const known = new Map<string, LegacyRequest>();
  return async (written, clientAddress) => {
    const key = JSON.stringify(written);
    const request = known.get(key) ?? (await read(written, clientAddress));
    known.set(key, request);
    return { ...request, clientAddress };
  };
}
