import { formatSarif } from '../../src/mapping/format-sarif';
import type { Problem } from '../../src/mapping/problem';

const problem = (change: Partial<Problem>): Problem => ({
  file: 'mappings/a b.yaml',
  line: 2,
  column: 3,
  code: 'unused-row',
  severity: 'warning',
  message: 'row shape `x` is not used anywhere',
  ...change,
});

// The parts of SARIF 2.1.0 that code hosts read (OASIS, sections 3.13, 3.14, 3.27 and 3.49).
test('problems are results of one run, each with its rule and its place', () => {
  const log = JSON.parse(
    formatSarif([problem({}), problem({ code: 'schema', severity: 'error', hint: 'mend it', file: '/etc/x.yaml' })]),
  );
  expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringMatching(/sarif-2\.1\.0\.json$/) });
  const [run] = log.runs;
  expect(run.tool.driver.name).toBe('compat-gateway');
  expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['schema', 'unused-row']);
  expect(run.tool.driver.rules[1]).toMatchObject({
    shortDescription: { text: expect.stringMatching(/./) },
    help: { text: expect.stringMatching(/./) },
    defaultConfiguration: { level: 'warning' },
  });
  expect(run.results[0]).toEqual({
    ruleId: 'unused-row',
    ruleIndex: 1,
    level: 'warning',
    message: { text: 'row shape `x` is not used anywhere' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'mappings/a%20b.yaml', uriBaseId: '%SRCROOT%' },
          region: { startLine: 2, startColumn: 3 },
        },
      },
    ],
  });
  expect(run.results[1]).toMatchObject({ level: 'error', message: { text: expect.stringContaining('(mend it)') } });
  expect(run.results[1].locations[0].physicalLocation.artifactLocation).toEqual({ uri: 'file:///etc/x.yaml' });
});

test('a run without problems has no results', () => {
  expect(JSON.parse(formatSarif([])).runs[0]).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
});

test('a code without a page is a SARIF rule without texts', () => {
  const [run] = JSON.parse(formatSarif([problem({ code: 'odd' })])).runs;
  expect(run.tool.driver.rules).toEqual([{ id: 'odd' }]);
});
