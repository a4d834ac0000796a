import { runCases } from '../../../src/operator/case/run-cases';
import { runMutants, type MutationResult } from '../../../src/operator/mutant/run-mutants';
import { readWrittenRequest } from '../../../src/http/read-written-request';
import { loadCases, type Case } from '../../../src/operator/case/cases';
import { compileMapping } from '../../../src/mapping/compile';
import { loadSource } from '../../../src/mapping/load';
import { listMutants, narrowSource } from '../../../src/operator/mutant/mutate';
import { createReport } from '../../../src/mapping/source';
import { MAPPINGS } from '../../mapping/mapping-set';

const { cases, fixtures } = loadCases(MAPPINGS);
const { source: whole } = loadSource(MAPPINGS);
// Breaking the whole set takes long, and `compat-gateway test --mutate` does it. Here one operation stands for all.
const source = narrowSource(whole!, new Set(['buy_exam']));
const mutants = listMutants(source).filter(
  ({ path: [section, name] }) => name === 'buy_exam' || (section === 'tables' && name === 'exam'),
);
const exams = cases.filter(({ place }) => place.file.endsWith('exam.yaml'));

async function breakAll(witnesses: readonly Case[]): Promise<MutationResult> {
  const around = { source, mapping: compileMapping(source, createReport(source.places, [])) };
  const parts = { fixtures, read: readWrittenRequest };
  return runMutants(await runCases(witnesses, { mapping: around.mapping, ...parts }), around, parts, mutants);
}

const wordsOf = ({ missed }: MutationResult): string[] =>
  missed.map(({ words, path }) => `${words} at ${path.map(String).join('.')}`);

test('the cases notice breaks of exam rules, and an unnoticed break is reported with its place', async () => {
  const { noticed } = await breakAll(exams);
  const result = await breakAll(exams.filter(({ row }) => row !== 'value: provider' && row !== 'said: NECO Token, exam: NECO'));
  expect(wordsOf(result)).toContain(
    'buy_exam: field exam is no longer read from `provider` at operations.buy_exam.fields.exam.from.4',
  );
  expect(wordsOf(result)).toContain('exam NECO is no longer called `neco token` at tables.exam.values.NECO.words.1');
  expect(result.noticed).toBeGreaterThan(0);
  expect(result.noticed).toBeLessThan(noticed);
});

test('without cases no break is noticed, and a case that fails already notices no break', async () => {
  const failing = exams.slice(0, 1).map((one): Case => ({ ...one, http: 418 }));
  for (const witnesses of [[], failing]) expect((await breakAll(witnesses)).noticed).toBe(0);
});
