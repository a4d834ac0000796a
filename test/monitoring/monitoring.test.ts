/** Compares the files for Prometheus and Grafana in `monitoring/` with the alarms, the runbook and the metrics of a running gateway. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { ALARM_NAMES } from '../../src/domain/alarm';
import { withHouse } from '../flows/house';

const ROOT = resolve(__dirname, '..', '..');
const FOLDER = join(ROOT, 'monitoring');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly alarm?: string; readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const tests = (
  parse(read('alerts.test.yml')) as { tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] }
).tests.flatMap((one) => one.alert_rule_test);
const runbook = readFileSync(join(ROOT, 'docs', 'runbook.md'), 'utf8');
const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);

const isMissing = spawnSync('promtool', ['--version']).error !== undefined;
const isSkipped = isMissing && process.env['CI'] !== 'true';

(isSkipped ? test.skip : test).each([
  ['check', 'rules', 'alerts.yml'],
  ['test', 'rules', 'alerts.test.yml'],
  ['check', 'config', 'prometheus.yml'],
])('promtool %s %s %s is content (needs promtool of the package prometheus)', (...args) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).not.toMatch(/FAILED|ERROR/);
  expect(status).toBe(0);
});

test('every alarm has a rule and a section, every rule a section, and every section one of both', () => {
  const ofRule = ({ expr, labels }: Rule): string | undefined => labels.alarm ?? /compat_alarm\{alarm="(\w+)"\}/.exec(expr)?.[1];
  expect(rules.map(ofRule).filter((name) => name !== undefined)).toEqual(expect.arrayContaining([...ALARM_NAMES]));
  for (const rule of rules) {
    const alarm = ofRule(rule);
    const [page, section] = rule.annotations.runbook.split('#');
    expect([page, alarm ?? section, sections.includes(section!)]).toEqual(['docs/runbook.md', section, true]);
    expect(['page', 'ticket']).toContain(rule.labels.severity);
  }
  const named = rules.map(({ annotations }) => annotations.runbook.split('#')[1]);
  expect([...sections].sort()).toEqual([...named].sort());
});

test('every section says what it is for money, what to look at, what to do and how it ends', () => {
  for (const name of sections) {
    const text = runbook.split(`\n## ${name}\n`)[1]!.split('\n## ')[0]!;
    for (const part of ['**Money.**', '**Look at**', '**Do.**', '**Ends**'])
      expect([name, text.includes(part)]).toEqual([name, true]);
    expect([name, text.includes('```sh')]).toEqual([name, true]);
  }
});

test('every rule is tested to fire, and to be silent', () => {
  const names = rules.map(({ alert }) => alert).sort();
  const tested = (fires: boolean): string[] =>
    [...new Set(tests.filter((one) => one.exp_alerts.length > 0 === fires).map(({ alertname }) => alertname))].sort();
  expect([tested(true), tested(false)]).toEqual([names, names]);
});

test('rules and dashboard use no metric that a running gateway does not show, with no label that it does not have', async () => {
  await withHouse({}, async (house) => {
    const page = await house.metrics();
    const shown = new Set([...page.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
    const dashboard = JSON.parse(read('dashboard.json')) as { panels: { title: string; targets: { expr: string }[] }[] };
    const exprs = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const used = new Set(exprs.flatMap((expr) => expr.match(/\bcompat_\w+/g) ?? []));
    const unknown = [...used].filter((name) => !shown.has(name) && !shown.has(name.replace(/_(?:bucket|count|sum)$/, '')));
    expect(unknown).toEqual([]);
    expect(used.size).toBeGreaterThan(25);
    const rows = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8');
    const strange = exprs.flatMap((expr) =>
      [...expr.matchAll(/by \(([\w, ]+)\) \([^{]*?(compat_\w+?)(?:_bucket)?\{/g)].flatMap(([, labels = '', name = '']) => {
        const known = new RegExp(`^\\| \`${name}\` \\| ([^|]*)\\|`, 'm').exec(rows)?.[1] ?? '';
        return labels
          .split(', ')
          .filter((label) => label !== 'le' && !known.split(/, | /).includes(label))
          .map((label) => `${name} ${label}`);
      }),
    );
    expect(strange).toEqual([]);
  });
});

test('no two panels of the dashboard cover each other', () => {
  interface Place {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  }
  const { panels } = JSON.parse(read('dashboard.json')) as { panels: { id: number; title: string; gridPos: Place }[] };
  const meet = (a: Place, b: Place): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  const covered = panels.flatMap((one) =>
    panels
      .filter((other) => other.id > one.id && meet(one.gridPos, other.gridPos))
      .map((other) => `${one.title} / ${other.title}`),
  );
  expect(covered).toEqual([]);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
});
