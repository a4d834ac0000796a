/**
 * Every command and every YAML block of the pages, as a reader meets them: page by page, from top to bottom, in a copy of
 * the clone with a gateway of its own. What a fence may say besides its language:
 *
 *     ```sh                       runs; must end with 0; the text or json block right after it is what it prints
 *     ```sh exit=1                must end with 1
 *     ```sh serve                 the gateway, in a second terminal; without one it starts by itself when curl is used
 *     ```sh no-run=<reason>       is not run; the reasons are those below
 *     ```yaml                     a fragment: merged into the shipped mappings and checked; or cases, which are played
 *                                 (with the fragment before them, if that is the block before)
 *     ```yaml breaks=<rule>       a fragment that must break this rule
 *     ```yaml file=<path>         written there; append=<path> adds to it; the commands that follow use it
 *     ```yaml excerpt=<file>      its lines stand in that file; a comment `# …` stands for what is left out
 *     ```text, ```json            alone: nothing is asserted
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { placeProgram, ROOT } from './place-program';
import { openDesk, type Desk } from './open-desk';
import { playPage } from './play-page';
import { readPage, type Block } from './read-page';
import { newFolder } from '../new-folder';

/** Why a block is not run here, and which test runs it instead. */
const NO_RUN: Readonly<Record<string, string>> = {
  'own-upstream': 'it needs the v1 service of the reader',
  root: 'it changes a machine; test/deploy/page.test.ts reads its commands',
  docker: 'it needs Docker; the Dockerfile is held to its build context by test/house/docs',
  database: 'it needs a PostgreSQL server of the reader; test/journal/postgres starts one of its own',
  minutes: 'it takes minutes; .ci/run runs it as a step of its own',
};
const NO_RUN_AT_MOST = 12;
const LANGUAGES = ['sh', 'yaml', 'text', 'json', 'php', 'ts', ''];
/** Blocks without a language are pictures or output; a block that begins like this would be a command. */
const PLAIN: Readonly<Record<string, string>> = {
  'npm start': 'the two commands of the README: .ci/run starts the product with the first from a clean clone',
  'npm ci': 'production from a registry: the same commands as in the Dockerfile',
  'docker build': 'needs Docker',
  'compat-gateway test': 'the list of options, with words beside them; test/cli/test-command runs each',
};
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ...readdirSync(join(ROOT, 'docs', 'decisions')).map((name) => `docs/decisions/${name}`),
];
const blocksOf = (page: string): readonly Block[] => readPage(join(ROOT, page), page);
const isCommand = ({ language }: Block): boolean => language === 'sh';
const hasBash = ['bash', 'curl'].every((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);

const program = newFolder();
let desk: Desk | undefined;
beforeAll(() => {
  placeProgram(program);
});
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

test.each(PAGES)('every block of %s has a language', (page) => {
  const blocks = blocksOf(page);
  expect(blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(({ place }) => place)).toEqual([]);
  const reasons = blocks.flatMap(({ marks, place }) => (marks.has('no-run') ? [`${place} ${marks.get('no-run')!}`] : []));
  expect(reasons.filter((one) => !Object.hasOwn(NO_RUN, one.split(' ')[1]!))).toEqual([]);
  const looksLikeCommands = blocks.filter(
    ({ language, text }) => language === '' && /^(?:npm|npx|node|docker|curl|compat-gateway|cp|[A-Z_]+=\S+) /.test(text),
  );
  const unknown = looksLikeCommands.filter(({ text }) => !Object.keys(PLAIN).some((start) => text.startsWith(start)));
  expect(unknown.map(({ place }) => place)).toEqual([]);
});

test('few blocks are marked as not run', () => {
  expect(
    PAGES.flatMap(blocksOf).filter(({ marks }) => marks.has('no-run') && marks.get('no-run') !== 'root').length,
  ).toBeLessThanOrEqual(NO_RUN_AT_MOST);
});

const isDone = (block: Block): boolean => isCommand(block) || block.language === 'yaml';
const WITH_BLOCKS = PAGES.filter((page) => blocksOf(page).some(isDone));
const isPlayable = (page: string): boolean => hasBash || !blocksOf(page).some(isCommand);
const unplayable = WITH_BLOCKS.filter((page) => !isPlayable(page));
if (unplayable.length > 0) test.skip.each(unplayable)('%s does what it shows (needs bash and curl)', () => undefined);

test.each(WITH_BLOCKS.filter(isPlayable))(
  '%s does what it shows',
  async (page) => {
    const blocks = blocksOf(page);
    desk = await openDesk(program);
    const wrong = await playPage(blocks, desk);
    if (wrong !== undefined) throw new Error(wrong);
  },
  300_000,
);

test('the format that the page builds is the greater part of the shipped format C', () => {
  const page = readFileSync(join(ROOT, 'docs', 'add-a-format.md'), 'utf8');
  const parts = [...page.matchAll(/^```yaml (?:file|append)=my-mappings\/format-c\.yaml\n(.*?)^```$/gms)].map(
    ([, text]) => text!,
  );
  expect(parts.length).toBeGreaterThan(3);
  const shipped = parse(readFileSync(join(ROOT, 'mappings', 'format-c.yaml'), 'utf8')) as unknown;
  expect(shipped).toMatchObject(parse(parts.join('')) as object);
});
