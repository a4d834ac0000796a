// Writes into docs/sandbox-conformance.md and docs/compat-conformance.md which tests prove each sentence of their tables: the
// last column. The sentences themselves stand in the pages alone. A test names its sentences in its title, a row of data that
// a test plays names them under `proves`. With --check it writes nothing and fails when a page is stale. Either way it fails
// when a sentence has no proof or a proof names a sentence that is not there.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './setup.mjs';

const suite = join('test', 'conformance');
const readData = (path) => parse(readFileSync(join(root, path), 'utf8'));

const PAGES = [
  { page: 'docs/sandbox-conformance.md', folders: ['portable', 'sandbox-only'], rows: [] },
  { page: 'docs/compat-conformance.md', folders: ['compat'], rows: ['services.yaml', 'numbers.yaml'] },
];
const SENTENCE = /^\| ([\w.-]+) \| (.+) \| ([^|]*) \|$/;
// Of a page with rows of data, everything from this heading on is generated from them.
const ROWS_HEADING = '## Every combination of address, fields and numbers';

/** The sentences that each test file names, at the beginning of its titles: `test('[4-4] [7-1] …`. */
function proofsBelow(folder) {
  return readdirSync(join(root, suite, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .sort((a, b) => a.localeCompare(b, 'en'))
    .flatMap((name) => {
      const source = readFileSync(join(root, suite, folder, name), 'utf8');
      const titles = source.matchAll(/^\s*test\(\s*['"`]((?:\[[\w.-]+\] )+)/gm);
      return [...titles].map(([, numbers]) => ({ place: `${folder}/${name}`, numbers: numbers.match(/[\w.-]+/g) }));
    });
}

const cell = (text) => String(text).replaceAll('|', '\\|');
const tableOf = (head, rows) => [
  `| ${head.join(' | ')} |`,
  `|${' --- |'.repeat(head.length)}`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
];

// A format A script has an AccessToken or a token, a format B script a token; each with either kind of key.
const KEYS = { a: 4, b: 2 };
const SLASHES = 2;
const NETWORK_WORDS = 8;

function requestsOf({ format, slash, fields }) {
  const choices = Object.entries(fields).map(
    ([names, values]) =>
      names.split('|').length * (Array.isArray(values) ? values.length : values === '$network' ? NETWORK_WORDS : 1),
  );
  return choices.reduce((product, count) => product * count, KEYS[format] * (slash === 'never' ? 1 : SLASHES));
}

/** Every combination that the rows of data stand for. */
function describeRows(folder) {
  const services = readData(join(suite, folder, 'services.yaml'));
  const numbers = readData(join(suite, folder, 'numbers.yaml'));
  const fieldsOf = ({ fields }) =>
    Object.entries(fields)
      .map(([names, values]) => `\`${names.replace('|', '` or `')}\` ${[values].flat().join(' or ')}`)
      .join('; ');
  const prefixes = ['MTN', 'GLO', 'AIRTEL', '9MOBILE', 'nobody'];
  return [
    ROWS_HEADING,
    '',
    'Each row is sent with and without a slash at the end of its address, by each auth type of its format, with `<API_KEY>:<PIN>` and',
    'with an IP-locked key alone, in each spelling and with each value. `$network` is each of the four numbers and four names, `$phone`',
    'and `$plan` are of the network that the row means by it.',
    '',
    ...tableOf(
      ['what', 'address', 'fields', 'requests'],
      services.map((row) => [
        row.title,
        row.slash === 'never' ? `${row.at}, without a slash` : row.at,
        fieldsOf(row),
        requestsOf(row),
      ]),
    ),
    '',
    '## Network numbers and phone prefixes',
    '',
    'What airtime sells by a network number, by the network that the prefix of the phone belongs to. Refused means that nothing was charged.',
    '',
    ...tableOf(
      ['what', 'address and field', 'number', ...prefixes.map((prefix) => (prefix === 'nobody' ? 'no network' : prefix))],
      numbers.flatMap(({ title, sent, sells }) =>
        Object.entries(sells).map(([number, sold], index) => [
          index === 0 ? title : '',
          index === 0 ? sent.join(', ') : '',
          number,
          ...sold,
        ]),
      ),
    ),
  ];
}

function renderPage({ page, folders, rows }) {
  const before = readFileSync(join(root, page), 'utf8');
  const played = rows.flatMap((name) =>
    readData(join(suite, folders[0], name)).map((row) => ({ place: `${folders[0]}/${name}`, numbers: row.proves })),
  );
  const proofs = [...folders.flatMap(proofsBelow), ...played];
  const problems = [];
  const sentences = new Set();
  const lines = [];
  for (const line of before.split('\n')) {
    if (line === ROWS_HEADING) break;
    const [, number, sentence] = SENTENCE.exec(line) ?? [];
    if (number === undefined || number === 'no.' || number === '---') {
      lines.push(line);
      continue;
    }
    sentences.add(number);
    const places = new Set(proofs.filter(({ numbers }) => numbers.includes(number)).map(({ place }) => place));
    if (places.size === 0) problems.push(`no test proves sentence ${number}`);
    lines.push(`| ${number} | ${sentence} | ${[...places].join(', ')} |`);
  }
  for (const { place, numbers } of proofs)
    for (const number of numbers)
      if (!sentences.has(number)) problems.push(`${place} names sentence ${number}, which is not in ${page}`);
  if (rows.length > 0) lines.push(...describeRows(folders[0]), '');
  return { page, before, text: lines.join('\n'), problems };
}

const pages = PAGES.map(renderPage);
const problems = pages.flatMap((page) => page.problems);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  for (const { page, before, text } of pages) {
    if (!process.argv.includes('--check')) writeFileSync(join(root, page), text);
    else if (text !== before) {
      console.error(`${page} is stale: run node scripts/conformance-table.mjs`);
      process.exitCode = 1;
    }
  }
}
