/** What the documents say is what the house does: settings, commands with their replies, links, decisions. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { CONFIG_KEYS } from '../../src/config';
import { withHouse } from '../flows/house';

const ROOT = join(__dirname, '..', '..');
const README = join(ROOT, 'README.md');
const DECISIONS = join(ROOT, 'docs', 'decisions');
const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(ROOT, name)),
  ...pagesBelow(join(ROOT, 'docs')),
];
const hasCurl = ['bash', 'curl'].every((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);

function pagesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const read = (file: string): string => readFileSync(file, 'utf8');

test('the files and folders that ARCHITECTURE.md names are there', () => {
  const paths = ['src', 'test', 'docs', 'bench', 'scripts', 'mappings', 'sandbox'].flatMap((top) => [
    `/${top}`,
    ...readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((name) => `/${top}/${name}`),
  ]);
  const named = [...read(join(ROOT, 'ARCHITECTURE.md')).matchAll(/`([a-z0-9][a-z0-9./-]*)`/g)].map(([, name]) => name!);
  const words: readonly string[] = ['unknown', 'check', 'plan', 'drift', 'main'];
  const isThere = (name: string): boolean =>
    paths.some((path) => path.endsWith(`/${name.replace(/\/$/, '')}`) || path.endsWith(`/${name}.ts`));
  const missing = named.filter((name) => !words.includes(name) && !isThere(name));
  expect(missing).toEqual([]);
});

test("the README's table of settings is that of the configuration (UPDATE_DOCS=1 writes it)", () => {
  const code = (text: string): string => `\`${text}\``;
  const rows = CONFIG_KEYS.map(
    ({ name, fallback, sentence }) => `| ${code(name)} | ${fallback === undefined ? 'none' : code(fallback)} | ${sentence} |`,
  );
  const table = ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  const place = /(<!-- settings: .*-->\n\n)([\s\S]*?)(\n\n<!-- \/settings -->)/;
  if (process.env.UPDATE_DOCS === '1')
    writeFileSync(
      README,
      read(README).replace(place, (_whole, before: string, _old, after: string) => `${before}${table}${after}`),
    );
  expect(place.exec(read(README))?.[2]).toBe(table);
});

(hasCurl ? test : test.skip)(
  "the README's commands get the replies that it shows (UPDATE_DOCS=1 writes them)",
  async () => {
    await withHouse({}, async (house) => {
      const script = join(ROOT, 'scripts', 'try-readme.mjs');
      if (process.env.UPDATE_DOCS === '1') {
        await promisify(execFile)(process.execPath, [script, house.url, '--write']);
        return;
      }
      const run = promisify(execFile)(process.execPath, [script, house.url]);
      const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => error);
      const verdicts = stdout.split('\n').filter((line) => line !== '');
      expect(verdicts.map((line) => line.split('  ').slice(0, 3).join(' '))).toEqual([
        'ok README.md success',
        'ok README.md success',
        'ok README.md success',
        'ok README.md success',
        'ok README.md fail',
        'ok docs/replies.md success',
        'ok docs/replies.md fail',
      ]);
    });
  },
  120_000,
);

test.each(PAGES.map((page) => [relative(ROOT, page), page]))('%s links to nothing that is not there', (_name, page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target]) => target!);
  expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
});

test.each(readdirSync(DECISIONS))(
  'decision %s says what was asked, decided, why, at what price, and how to notice a mistake',
  (name) => {
    const text = read(join(DECISIONS, name));
    expect(text.split('\n')[0]).toMatch(new RegExp(`^# ${name.slice(0, 4)}: `));
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
      'Question',
      'Decision',
      'Reasons',
      'What we gave up',
      expect.stringMatching(/^How we would notice (?:that )?it was wrong$/),
    ]);
  },
);

test('the image is built from files that its build context has', () => {
  const sources = read(join(ROOT, 'Dockerfile'))
    .split('\n')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));
  const allowed = read(join(ROOT, '.dockerignore'))
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  expect([...sources].sort()).toEqual([...allowed].sort());
  expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
});
