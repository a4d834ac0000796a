/** The sources for the rules of the house: read once, parsed by the TypeScript compiler, never run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

export const ROOT = resolve(__dirname, '..', '..');

export interface Import {
  /** Relative to the root: `src/domain/json.ts`. */
  readonly file: string;
  readonly line: number;
  /** False for `import type`, which does nothing at run time. */
  readonly isValue: boolean;
}

export interface SourceFile {
  /** Relative to the root, with slashes: `src/gateway/order/pursue.ts`. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  /** Imports of our own files. */
  readonly imports: readonly Import[];
}

/** Every file below a folder with one of these endings, relative to the root and sorted. */
export function filesBelow(folder: string, endings: readonly string[]): string[] {
  const absolute = join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function readSources(): readonly SourceFile[] {
  return filesBelow('src', ['.ts']).map((path) => {
    const text = readText(path);
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    return { path, text, tree, imports: importsOf(path, tree) };
  });
}

export function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1;
}

/** Calls `visit` for every node of a tree, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

function importsOf(path: string, tree: ts.SourceFile): Import[] {
  return tree.statements.flatMap((statement): Import[] => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.')) return [];
    const file = `${relative(ROOT, resolve(ROOT, dirname(path), moduleSpecifier.text))
      .split(sep)
      .join('/')}.ts`;
    return [{ file, line: lineOf(tree, statement.getStart()), isValue: isValueImport(statement) }];
  });
}

/** `import { type A, type B }` imports no value, `import { type A, b }` does. */
function isValueImport(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return !statement.isTypeOnly;
  const clause = statement.importClause;
  if (clause === undefined) return true;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false;
  const { namedBindings } = clause;
  if (clause.name !== undefined || namedBindings === undefined || ts.isNamespaceImport(namedBindings)) return true;
  return namedBindings.elements.some((element) => !element.isTypeOnly);
}

/** Groups of files that import themselves through others, type imports included; each group once. */
export function importCycles(sources: readonly SourceFile[]): string[][] {
  const importsByPath = new Map(sources.map(({ path, imports }) => [path, imports.map(({ file }) => file)]));
  const reachedFrom = (path: string): Set<string> => {
    const reached = new Set<string>();
    const open = [...(importsByPath.get(path) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(...(importsByPath.get(next) ?? []));
    }
    return reached;
  };
  const reachedByPath = new Map(sources.map(({ path }) => [path, reachedFrom(path)]));
  const grouped = new Set<string>();
  return sources.flatMap(({ path }) => {
    const reached = reachedByPath.get(path)!;
    if (grouped.has(path) || !reached.has(path)) return [];
    const group = [...reached].filter((other) => reachedByPath.get(other)?.has(path) === true).sort();
    for (const one of group) grouped.add(one);
    return [group];
  });
}

export interface FunctionSize {
  readonly name: string;
  readonly line: number;
  /** From the first to the last line, including nested functions. */
  readonly lines: number;
}

export function functionSizes({ tree }: SourceFile): FunctionSize[] {
  const sizes: FunctionSize[] = [];
  walk(tree, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const line = lineOf(tree, node.getStart());
    sizes.push({ name: nameOf(node), line, lines: lineOf(tree, node.getEnd()) - line + 1 });
  });
  return sizes;
}

function nameOf(node: ts.Node): string {
  const named = ts.isArrowFunction(node) || ts.isFunctionExpression(node) ? node.parent : node;
  return 'name' in named && named.name !== undefined ? (named.name as ts.Node).getText() : '(anonymous)';
}
