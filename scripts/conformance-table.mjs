// Writes docs/sandbox-conformance.md and docs/compat-conformance.md from the sentences of the specification and from what
// proves them: titles of tests, and rows of data that a test plays one by one. With --check it writes nothing and fails when a
// page is stale. Either way it fails when a sentence has no proof or a proof names a sentence that is not there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const suite = join('test', 'conformance');
const readData = (path) => parse(readFileSync(join(root, path), 'utf8'));

const PAGES = [
  {
    page: 'docs/sandbox-conformance.md',
    title: 'What the specification says and which test proves it',
    sentences: 'sentences.yaml',
    folders: ['portable', 'sandbox-only'],
    rows: [],
    about:
      'Tests under `portable/` run against any v1 service (`V1_URL`, `V1_KEY`, `V1_PIN`), those under `sandbox-only/` need the ' +
      'clock or the admin calls of the sandbox.',
  },
  {
    page: 'docs/compat-conformance.md',
    title: 'What the specification says of the compatibility endpoints and which test proves it',
    sentences: 'compat/sentences.yaml',
    folders: ['compat'],
    rows: ['services.yaml', 'numbers.yaml'],
    about:
      'Every test sends what scripts send, over real sockets, through a gateway with the shipped mappings to a sandbox, and asks ' +
      'that v1 what it sold and what it charged. `npm run conformance` runs them too.',
  },
];

/** Every title that begins with sentence numbers: `test('[4-4] [7-1] …`. */
function titlesBelow(folder) {
  return readdirSync(join(root, suite, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .sort((a, b) => a.localeCompare(b, 'en'))
    .flatMap((name) => {
      const source = readFileSync(join(root, suite, folder, name), 'utf8');
      const titles = /^\s*test\(\s*(['"`])((?:\[[\w.-]+\] )+)(.*?)\1,/gms;
      return [...source.matchAll(titles)].map(([, , numbers, title]) => ({
        place: `${folder}/${name}`,
        title: title.replaceAll("\\'", "'"),
        numbers: numbers.match(/[\w.-]+/g),
      }));
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
    '## Every combination of address, fields and numbers',
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

function renderPage({ page, title, sentences: file, folders, rows, about }) {
  const sections = readData(join(suite, file));
  const sentences = Object.values(sections).flatMap((section) => Object.keys(section));
  const played = rows.flatMap((name) =>
    readData(join(suite, folders[0], name)).map((row) => ({
      place: `${folders[0]}/${name}`,
      title: row.title,
      numbers: row.proves,
    })),
  );
  const proofs = [...folders.flatMap(titlesBelow), ...played];
  const problems = [];
  for (const number of sentences)
    if (!proofs.some(({ numbers }) => numbers.includes(number))) problems.push(`no test proves sentence ${number}`);
  for (const { place, numbers } of proofs)
    for (const number of numbers)
      if (!sentences.includes(number)) problems.push(`${place} names sentence ${number}, which is not in ${file}`);
  const lines = [
    `# ${title}`,
    '',
    `Generated by \`node scripts/conformance-table.mjs\` from \`${suite}/${file}\` and the titles of the tests; edit those. ` +
      `${sentences.length} sentences, ${proofs.length} tests. ${about}`,
  ];
  for (const [section, says] of Object.entries(sections)) {
    const found = Object.entries(says).flatMap(([number, sentence]) =>
      proofs.filter(({ numbers }) => numbers.includes(number)).map((proof) => [number, sentence, proof.title, proof.place]),
    );
    lines.push('', `## ${section}`, '', ...tableOf(['no.', 'the specification says', 'the test', 'where'], found));
  }
  if (rows.length > 0) lines.push('', ...describeRows(folders[0]));
  return { page, text: `${lines.join('\n')}\n`, problems };
}

const pages = PAGES.map(renderPage);
const problems = pages.flatMap((page) => page.problems);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  for (const { page, text } of pages) {
    const file = join(root, page);
    if (!process.argv.includes('--check')) writeFileSync(file, text);
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
      console.error(`${page} is stale: run node scripts/conformance-table.mjs`);
      process.exitCode = 1;
    }
  }
}
