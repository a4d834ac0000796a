/** Reads, checks and compiles a folder of mapping files, for `compat-gateway check`, start-up, reload and tests alike. */
import { readdirSync, type Dirent } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { maskSecrets } from '../domain/shown-words';
import { atOnce, type Steps } from '../domain/steps';
import { codeFrame, hasErrors, type Problem } from './problem';
import { compileInSteps } from './compile';
import { mergeInSteps, readFolder, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import { maskCallerKeys } from './mask-caller-keys';
import { type Hole, startsWith } from './read-rest';
import { checkCallerKeys, checkCallers } from './rules/check-callers';
import { checkCalls, checkSent } from './rules/check-calls';
import { checkFamilies, checkFormats } from './rules/check-formats';
import { checkFields } from './rules/check-fields';
import { checkLists } from './rules/check-lists';
import { checkNames } from './rules/check-names';
import { checkOperations, checkUnused } from './rules/check-operations';
import { checkGoods, checkReplies } from './rules/check-replies';
import { checkRoutes } from './rules/check-routes';
import { checkTables } from './rules/check-tables';
import { checkTexts } from './rules/check-texts';
import { checkReplyConstants, checkOutcomeWords } from './rules/check-outcomes';
import { checkValues } from './rules/check-values';
import type { Check, Checking } from './rules/checking';
import { repliesOfOperation, type OutcomeReply } from './rules/reply-layers';
import { RULES, type RuleId } from './rules/rules';
import { createReport, NOWHERE, type MappingSource, type Report } from './source';
import type { YamlPath } from './read-yaml';

export interface CheckedMapping {
  /** Absent when there are errors. */
  readonly mapping?: Mapping;
  /** The merged source of the mapping; absent when there are errors. */
  readonly source?: MappingSource;
  /** In order of file and place. */
  readonly problems: readonly Problem[];
}

/** Checks a folder. `check` replaces the full check, for example by one that uses kept results. */
export function checkFolder(
  folder: string,
  check: (files: readonly MappingFileText[]) => CheckedMapping = checkFiles,
): CheckedMapping {
  const read = readFolder(folder);
  if ('problems' in read) return read;
  const { problems, ...checked } = check(read.files);
  return { ...checked, problems: [...strayFiles(folder), ...problems] };
}

/** All checks of the merged source. Problems at the same place are reported in this order. */
const CHECKS: readonly Check[] = [
  checkTables,
  checkRoutes,
  checkFields,
  checkOperations,
  checkCalls,
  checkValues,
  checkReplies,
  checkOutcomeWords,
  checkReplyConstants,
  checkFormats,
  checkCallers,
  checkCallerKeys,
  checkFamilies,
  checkSent,
  checkLists,
  checkGoods,
  checkNames,
];

export const checkFiles = (given: readonly MappingFileText[]): CheckedMapping => atOnce(checkInSteps(given));

/** The longest step is that of one file, of one family, or of one rule. */
export function* checkInSteps(given: readonly MappingFileText[]): Steps<CheckedMapping> {
  const { files, problems: found } = checkTexts(given);
  const problems = [...found];
  const finish = (mapping?: Mapping, source?: MappingSource): CheckedMapping => {
    // A problem without a line is shown at the first file: every problem has a place.
    const placed = problems.map((problem) =>
      problem.file === NOWHERE ? { ...problem, file: given[0]?.file ?? NOWHERE } : problem,
    );
    const distinct = inOrder(withFrames(placed, given), given);
    return mapping === undefined || hasErrors(distinct)
      ? { problems: distinct }
      : { mapping, source: source!, problems: distinct };
  };
  if (files.length === 0) return finish();
  const merged = yield* mergeInSteps(files);
  problems.push(...merged.problems);
  // Beside errors of the schema, other problems are reported too, except those that the schema errors may have caused.
  const { source, holes } = { source: merged.source ?? merged.rest?.source, holes: merged.rest?.holes ?? [] };
  if (source === undefined) return finish();
  const unread: Hole[] = files.length < given.length ? [{ path: [], kind: 'gone' }] : [];
  const report = reportApartFrom([...holes, ...unread], createReport(source.places, problems));
  return finish(yield* checkMerged(source, report, problems), source);
}

/**
 * The problems of a source that does not come from files, such as one that a test has broken on purpose, up to the step that
 * finds the first error: whoever asks only whether the source may be used waits for no more.
 */
export function checkSource(source: MappingSource): Problem[] {
  const problems: Problem[] = [];
  const steps = checkMerged(source, createReport(source.places, problems), problems);
  while (!hasErrors(problems) && steps.next().done !== true);
  return problems;
}

function* checkMerged(source: MappingSource, report: Report, problems: readonly Problem[]): Steps<Mapping> {
  const mapping = yield* compileInSteps(source, report);
  const replies: OutcomeReply[] = [];
  for (const operation of Object.keys(source.operations)) {
    replies.push(...repliesOfOperation(operation, source));
    yield;
  }
  const checking: Checking = { source, mapping, replies, report };
  for (const check of CHECKS) yield* check(checking) ?? [undefined];
  if (!hasErrors(problems)) checkUnused(checking);
  return mapping;
}

function withFrames(problems: readonly Problem[], files: readonly MappingFileText[]): Problem[] {
  const lines = new Map<string, readonly string[]>();
  return problems.map((problem) => {
    const text = files.find(({ file }) => file === problem.file)?.text;
    if (text === undefined) return problem;
    const split = lines.get(problem.file) ?? maskCallerKeys(text.replace(/^\uFEFF/, '')).split(/\r?\n/);
    lines.set(problem.file, split);
    return { ...problem, message: maskSecrets(problem.message), frame: codeFrame(split, problem.line, problem.column) };
  });
}

/** Each format compiles the shared lines again: equal problems are reported once. */
function inOrder(problems: readonly Problem[], files: readonly MappingFileText[]): Problem[] {
  const distinct = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
  const rank = new Map(files.map(({ file }, index) => [file, index]));
  return distinct.sort((a, b) => (rank.get(a.file) ?? -1) - (rank.get(b.file) ?? -1) || a.line - b.line || a.column - b.column);
}

const NOT_READ = {
  file: { message: 'this file is not read: its name must end in .yaml, .yml or .json' },
  folder: {
    message: 'this folder is not read: it is a link',
    hint: 'put the folder itself here, or a link to each of its files',
  },
} as const;

/** Reports files and folders that look like parts of the set and are not read. */
function strayFiles(folder: string): Problem[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => ({ path: join(entry.parentPath, entry.name), what: unreadKind(entry) }))
    .filter(({ path }) => !/(?:^|[/\\])\./.test(relative(folder, path)))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .flatMap(({ path, what }) => {
      if (what === undefined) return [];
      return {
        file: relative(process.cwd(), path) || path,
        line: 1,
        column: 1,
        code: 'unknown-extension',
        severity: RULES['unknown-extension'].severity,
        ...NOT_READ[what],
      };
    });
}

function unreadKind(entry: Dirent): keyof typeof NOT_READ | undefined {
  const isMappingOrNote = /\.(?:ya?ml|json|md)$/.test(entry.name);
  if (isMappingOrNote) return undefined;
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() && holdsMappings(join(entry.parentPath, entry.name)) ? 'folder' : undefined;
}

/** Whether a linked folder has mapping files. Its subfolders are not searched: a link may lead to a whole disk. */
function holdsMappings(path: string): boolean {
  if (basename(path) === 'cases') return false;
  try {
    return readdirSync(path).some((name) => /^[^.].*\.(?:ya?ml|json)$/.test(name));
  } catch {
    // The link leads to a file, or to nothing.
    return false;
  }
}

/**
 * Leaves out problems that another mistake may have caused. A rule that needs another place (`looksAt`) reports nothing while that place is
 * a hole, because its value is not known. A rule that looks only at its own place always reports.
 */
function reportApartFrom(holes: readonly Hole[], report: Report): Report {
  if (holes.length === 0) return report;
  return (path, code, ...rest) => {
    if (!mayBeCausedBy(holes, path, code)) report(path, code, ...rest);
  };
}

function mayBeCausedBy(holes: readonly Hole[], path: YamlPath, code: RuleId): boolean {
  if (holes.some((hole) => hole.kind === 'guess' && startsWith(path, hole.path))) return true;
  const operation = operationOf(path);
  return RULES[code].looksAt.some((place) => {
    const isOfNames = place.endsWith('!');
    const steps = (isOfNames ? place.slice(0, -1) : place).split('.').map((step, depth) => {
      if (step === '=') return operation;
      return step === '~' ? String(path[depth] ?? '*') : step;
    });
    return holes.some((hole) => (isOfNames ? hidesNames(hole, steps) : overlaps(hole.path, steps)));
  });
}

/** The operation of the problem. `*` for a problem outside operations, which a hole in any operation may have caused. */
function operationOf([section, name, part, operation]: YamlPath): string {
  if (section === 'operations' && name !== undefined) return String(name);
  return (section === 'formats' || section === 'families') && part === 'operations' && operation !== undefined
    ? String(operation)
    : '*';
}

function hidesNames({ path, kind }: Hole, steps: readonly string[]): boolean {
  if (path.length > steps.length + 1 || !overlaps(path, steps)) return false;
  return path.length <= steps.length || kind === 'gone';
}

/** Whether the two places are the same, or one contains the other. */
function overlaps(path: YamlPath, steps: readonly string[]): boolean {
  const length = Math.min(path.length, steps.length);
  return steps.slice(0, length).every((step, depth) => step === '*' || step === String(path[depth]));
}
