// The rules of the house that can be executed. A rule that is broken names the file and the line.
import { parse } from 'yaml';
import ts from 'typescript';
import { V1_ENDPOINTS } from '../../src/upstream/v1';
import { parseRoute } from '../../src/mapping/routes';
import { NOT_TESTED_YET, TESTED_ELSEWHERE } from './tested-elsewhere';
import {
  filesBelow,
  functionSizes,
  importCycles,
  lineOf,
  readSources,
  readText,
  ROOT,
  walk,
  type SourceFile,
} from './source-files';

const SOURCES = readSources();
const PATHS = new Set(SOURCES.map(({ path }) => path));

const FILE_LINES_MAX = 350;
const FUNCTION_LINES_MAX = 70;

// The stairs: a file imports from its own room and from lower stairs, never up and never across.
const STAIRS: Readonly<Record<string, number>> = {
  domain: 0,
  mapping: 1,
  upstream: 1,
  journal: 1,
  'price-lists': 1,
  gateway: 2,
  sandbox: 2,
  telemetry: 2,
  traffic: 2,
  http: 3,
  admin: 3,
  operator: 3,
  orders: 3,
  console: 4,
  start: 5,
  watch: 5,
  '(top)': 5,
  cluster: 6,
  cli: 7,
};
/** Across one stair, by room and by what it may take there. */
const ACROSS: readonly (readonly [string, RegExp])[] = [
  ['price-lists', /^src\/upstream\//],
  // The checker holds calls against what v1 takes.
  ['mapping', /^src\/upstream\/v1\.ts$/],
  // What every start needs: the settings, and what is made of them.
  ['start', /^src\/config\.ts$/],
  ['watch', /^src\/config\.ts$/],
  ['(top)', /^src\/(?:start|watch)\//],
];

function roomOf(path: string): string {
  const [, room = '', ...rest] = path.split('/');
  return rest.length === 0 ? '(top)' : room;
}

/** Everything of one kind that a rule finds, as `file:line what`. */
function find(rule: (file: SourceFile, report: (line: number, what: string) => void) => void): string[] {
  const found: string[] = [];
  for (const file of SOURCES) rule(file, (line, what) => void found.push(`${file.path}:${line} ${what}`));
  return found;
}

test('there are sources, and every room has its stair', () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  expect(SOURCES.filter(({ path }) => STAIRS[roomOf(path)] === undefined).map(({ path }) => path)).toEqual([]);
});

test('every import of ours leads to a file of ours', () => {
  expect(find(({ imports }, report) => imports.forEach(({ file, line }) => PATHS.has(file) || report(line, file)))).toEqual([]);
});

test('imports go down the stairs, or stay in their room', () => {
  const broken = find(({ path, imports }, report) => {
    const room = roomOf(path);
    for (const { file, line } of imports) {
      const other = roomOf(file);
      const isAllowed =
        other === room || STAIRS[other]! < STAIRS[room]! || ACROSS.some(([from, to]) => from === room && to.test(file));
      if (!isAllowed) report(line, `${room} may not import ${file}`);
    }
  });
  expect(broken).toEqual([]);
});

test('what sells imports no tool of the operator', () => {
  const broken = find(({ path, imports }, report) => {
    if (['operator', 'cli', 'admin', 'console'].includes(roomOf(path))) return;
    for (const { file, line } of imports) if (roomOf(file) === 'operator') report(line, file);
  });
  expect(broken).toEqual([]);
});

/** The rooms of the gateway, each importing only from those before it. */
const GATEWAY_ROOMS = ['read', 'tell', 'proof', 'order', '(walk)'];

test('the rooms of the gateway stand in one order', () => {
  const roomIn = (path: string): number => {
    const [, room, ...rest] = path.split('/').slice(1);
    return GATEWAY_ROOMS.indexOf(rest.length === 0 ? '(walk)' : room!);
  };
  const broken = find(({ path, imports }, report) => {
    if (roomOf(path) !== 'gateway') return;
    for (const { file, line } of imports) if (roomOf(file) === 'gateway' && roomIn(file) > roomIn(path)) report(line, file);
  });
  expect(broken).toEqual([]);
});

test('no file imports itself by way of others, not even for a type', () => {
  expect(importCycles(SOURCES)).toEqual([]);
});

test('exports have names', () => {
  const broken = find(({ tree }, report) =>
    walk(tree, (node) => {
      const isDefault =
        ts.isExportAssignment(node) ||
        (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true);
      if (isDefault) report(lineOf(tree, node.getStart()), 'default export');
    }),
  );
  expect(broken).toEqual([]);
});

test('what a file exports is used by another', () => {
  const files = ['src', 'test', 'bench'].flatMap((folder) => filesBelow(folder, ['.ts']));
  const words = files.map((path) => ({ path, used: new Set(readText(path).match(/\w+/g)) }));
  const unused = find(({ path, tree }, report) => {
    // A command is loaded by the name of its file.
    if (roomOf(path) === 'cli') return;
    for (const statement of tree.statements) {
      for (const name of exportedNames(statement)) {
        const isUsed = words.some((other) => other.path !== path && other.used.has(name));
        if (!isUsed) report(lineOf(tree, statement.getStart()), name);
      }
    }
  });
  expect(unused).toEqual([]);
});

function exportedNames(statement: ts.Statement): string[] {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

test('nothing is any, an enum or a namespace', () => {
  const broken = find(({ tree }, report) =>
    walk(tree, (node) => {
      const what =
        node.kind === ts.SyntaxKind.AnyKeyword
          ? 'any'
          : ts.isEnumDeclaration(node)
            ? 'enum'
            : ts.isModuleDeclaration(node)
              ? 'namespace'
              : undefined;
      if (what !== undefined) report(lineOf(tree, node.getStart()), what);
    }),
  );
  expect(broken).toEqual([]);
});

test('only config.ts reads the environment', () => {
  const broken = find(({ path, tree }, report) => {
    if (path === 'src/config.ts') return;
    walk(tree, (node) => {
      if (ts.isPropertyAccessExpression(node) && node.getText() === 'process.env')
        report(lineOf(tree, node.getStart()), 'process.env');
    });
  });
  expect(broken).toEqual([]);
});

test('nothing is left to do', () => {
  const mark = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|').replace(/^|$/g, '\\b'));
  const files = ['src', 'test', 'mappings', 'scripts'].flatMap((folder) => filesBelow(folder, ['.ts', '.mjs', '.cjs', '.yaml']));
  const broken = files.flatMap((path) =>
    readText(path)
      .split('\n')
      .flatMap((line, index) => (mark.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  expect(broken).toEqual([]);
});

test('no file knows the machine it was written on', () => {
  const place = /(?<![\w.])(?:\/(?:home|work|Users|root)\/[\w.-]|[A-Z]:\\\\?(?:Users|work)\b)/;
  const folders = ['src', 'test', 'mappings', 'scripts', 'docs', 'bench', 'sandbox'];
  const files = folders.flatMap((folder) => filesBelow(folder, ['.ts', '.mjs', '.cjs', '.yaml', '.md', '.php', '.json']));
  const broken = files.flatMap((path) =>
    readText(path)
      .split('\n')
      .flatMap((line, index) =>
        place.test(line) || line.includes(`${ROOT}/`) ? [`${path}:${index + 1} ${line.trim().slice(0, 80)}`] : [],
      ),
  );
  expect(broken).toEqual([]);
});

test('a format is YAML alone: no address, spelling or format id of the mappings stands in TypeScript', () => {
  const words = formatWords();
  expect([words.has('mobile_number'), words.has('Ported_number'), words.has('/api/topup')]).toEqual([true, true, true]);
  const broken = find(({ path, tree }, report) => {
    // The sandbox is v1, and speaks only v1's words.
    if (path.startsWith('src/sandbox/')) return;
    const allowed = WORDS_ALLOWED.filter(([file]) => file === path).map(([, word]) => word);
    walk(tree, (node) => {
      const text = ts.isStringLiteralLike(node) || ts.isIdentifier(node) ? node.text : undefined;
      if (text !== undefined && !allowed.includes(text) && (words.has(text) || words.has(text.replace(/\/+$/, ''))))
        report(lineOf(tree, node.getStart()), text);
    });
  });
  expect(broken).toEqual([]);
});

test('every source file has a test of its name, or a reason', () => {
  const keys = [...Object.keys(TESTED_ELSEWHERE), ...NOT_TESTED_YET];
  expect(withoutTest().filter((path) => !keys.some((key) => isUnder(path, key)))).toEqual([]);
});

test('no reason is left over from a file that is gone or has a test now', () => {
  const without = withoutTest();
  const isNeeded = (key: string): boolean => without.some((path) => isUnder(path, key));
  expect([...Object.keys(TESTED_ELSEWHERE), ...NOT_TESTED_YET].filter((key) => !isNeeded(key))).toEqual([]);
});

test('a reason that names a test names one that is there', () => {
  const named = Object.values(TESTED_ELSEWHERE).flatMap((reason) => reason.match(/test\/[\w/.-]*[\w]/g) ?? []);
  const files = new Set(filesBelow('test', ['.ts', '.yaml', '.php']));
  expect(
    named.filter((path) => ![...files].some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))),
  ).toEqual([]);
});

test(`no file has more than ${FILE_LINES_MAX} lines`, () => {
  expect(SOURCES.filter(({ text }) => text.trimEnd().split('\n').length > FILE_LINES_MAX).map(({ path }) => path)).toEqual([]);
});

test(`no function has more than ${FUNCTION_LINES_MAX} lines, with what is nested in it`, () => {
  const broken = find((file, report) => {
    for (const { name, line, lines } of functionSizes(file))
      if (lines > FUNCTION_LINES_MAX) report(line, `${name} has ${lines} lines`);
  });
  expect(broken).toEqual([]);
});

function withoutTest(): string[] {
  const tests = new Set(filesBelow('test', ['.test.ts']));
  return [...PATHS].filter((path) => !tests.has(path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')));
}

/** True for the file itself, and for everything below a folder with a slash at its end. */
function isUnder(path: string, key: string): boolean {
  return path === key || (key.endsWith('/') && path.startsWith(key));
}

interface MappingFile {
  readonly operations?: Readonly<
    Record<
      string,
      {
        readonly routes?: readonly string[];
        readonly fields?: Readonly<
          Record<string, { readonly from?: readonly unknown[]; readonly otherwise?: readonly unknown[] }>
        >;
      }
    >
  >;
  readonly request_id?: readonly unknown[];
}

/** What only the mappings may know: addresses, and spellings that are neither v1's words nor plain English. */
function formatWords(): Set<string> {
  const files = filesBelow('mappings', ['.yaml'])
    .filter((path) => !path.includes('/cases/'))
    .map((path) => parse(readText(path)) as MappingFile);
  const v1 = new Set<string>([...V1_ENDPOINTS.flatMap(({ fields }) => Object.keys(fields)), ...V1_WORDS]);
  const words = new Set<string>();
  for (const { operations, request_id: ids } of files) {
    for (const spelling of ids ?? []) addSpelling(words, String(spelling), v1);
    for (const { routes, fields } of Object.values(operations ?? {})) {
      for (const { path } of (routes ?? []).flatMap(parseRoute)) words.add(path.replace(/\/:.*$/, ''));
      for (const { from, otherwise } of Object.values(fields ?? {}))
        for (const spelling of [...(from ?? []), ...(otherwise ?? [])]) addSpelling(words, String(spelling), v1);
    }
  }
  return words;
}

function addSpelling(words: Set<string>, spelling: string, v1: ReadonlySet<string>): void {
  if (!v1.has(spelling) && /[_\-A-Z]/.test(spelling)) words.add(spelling);
}

/** Words of v1's replies, which scripts use as well, and our own name for the id of an order. */
const V1_WORDS = ['cable_id', 'customer_name', 'data_type', 'disco_name', 'per_page', 'requestId'];

/** Where a word of the scripts may stand all the same: file, word, reason. */
const WORDS_ALLOWED: readonly (readonly [string, string, string])[] = [
  ['src/gateway/tell/refuse.ts', 'request-id', 'the reply of last resort, for when a bug of ours has made the mapping unusable'],
  ['src/upstream/classify.ts', 'request-id', 'an answer that names another order under any spelling is not about ours'],
  ['src/operator/explain/explain.ts', 'request-id', 'stands for whatever a script would send'],
];
