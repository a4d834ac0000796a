import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { GatewayError } from '../domain/errors';
import type { LegacyRequest } from '../domain/legacy';
import type { Mapping } from '../mapping/mapping';
import { fitFamilies, requestsOf, writeSkeleton, type Fit } from '../operator/family/fit-families';
import { readSource, type Finding, type SourceFindings } from '../operator/family/read-source';
import { loadMapping } from './known-set';
import { parseFile } from './parse-options';
import { parseRequestFile } from '../operator/paste/parse-request';
import { readConfig } from './process';
import { readWireRequest } from '../http/read-written-request';

const SOURCES: ReadonlySet<string> = new Set(['.php', '.js', '.ts', '.mjs', '.cjs', '.py']);
/** A script is written by hand, so a larger file is a library or data. */
const SOURCE_BYTES_MAX = 1_000_000;
const FILES_MAX = 2_000;

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** `compat-gateway family`: sends nothing, and prints no value of a request. */
export function familyCommand(): Command {
  return new Command('family')
    .description('Names the families that fit a script, by its source or a recorded request, and what decides in its source.')
    .argument('[source]', 'a PHP file, or a folder of sources (PHP, JavaScript, Python)', parseSource)
    .option('--request <file>', 'a saved curl command, raw HTTP request or transcript', parseFile)
    .addHelpText(
      'after',
      `
A source is read by patterns, line by line: what is computed, included from elsewhere or written in another way is not seen.

Exit codes: 0 a family fits, 1 none does, 2 bad usage.

Examples:
  compat-gateway family recharge.php
  compat-gateway family --request curl.txt`,
    )
    .action(async (source: string | undefined, { request }: { readonly request?: string }) => {
      if ((source === undefined) === (request === undefined))
        throw new InvalidArgumentError('Either a source or --request is needed.');
      const mapping = loadMapping(readConfig().config);
      const { lines, isFitting } = source === undefined ? await ofRequest(request!, mapping) : ofSource(source, mapping);
      process.stdout.write(`${lines.join('\n')}\n`);
      if (!isFitting) process.exitCode = 1;
    });
}

function parseSource(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new InvalidArgumentError('there is no such file or folder.');
  return path;
}

interface Report {
  readonly lines: readonly string[];
  readonly isFitting: boolean;
}

async function ofRequest(file: string, mapping: Mapping): Promise<Report> {
  let request: LegacyRequest;
  try {
    request = await readWireRequest(parseRequestFile(readFileSync(file)));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new Error(`The request would be refused: ${error.detail}`);
  }
  const fit = fitFamilies(request, mapping);
  if (fit === undefined) throw new Error(`Nothing is served at ${request.path}.`);
  return report(fitLines(fit), [fit], []);
}

function ofSource(source: string, mapping: Mapping): Report {
  const files = filesOf(source);
  if (files.length === 0)
    throw new Error(`There is no source in ${source}: expected files that end in ${[...SOURCES].join(', ')}.`);
  const read = files
    .map((file) => ({ ...file, findings: readSource(file.text) }))
    .filter(({ findings }) => findings.paths.length > 0);
  const fits = read.flatMap(({ findings }) =>
    requestsOf(findings, mapping).flatMap((request) => fitFamilies(request, mapping) ?? []),
  );
  const lines = [...read.flatMap(({ path, findings }) => [path, ...findingLines(findings), '']), ...fits.flatMap(fitLines)];
  return report(
    lines,
    fits,
    read.map(({ findings }) => findings),
  );
}

function filesOf(source: string): SourceFile[] {
  const paths = statSync(source).isDirectory()
    ? readdirSync(source, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && SOURCES.has(extname(entry.name)))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !/[/\\](?:vendor|node_modules|\.git)[/\\]/.test(path))
        .sort()
    : [source];
  return paths
    .filter((path) => statSync(path).size <= SOURCE_BYTES_MAX)
    .slice(0, FILES_MAX)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function findingLines({ paths, userAgent, headers, limits, conditions }: SourceFindings): string[] {
  const placed = ({ line, text }: Finding): string => `    ${String(line).padStart(4)}  ${text}`;
  const section = (title: string, found: readonly Finding[]): string[] =>
    found.length === 0 ? [] : [`  ${title}`, ...found.map(placed)];
  return [
    `  addresses    ${paths.join(', ')}`,
    `  User-Agent   ${userAgent ?? 'none is named: plain PHP sends none'}`,
    ...(Object.keys(headers).length === 0 ? [] : [`  headers      ${Object.keys(headers).join(', ')}`]),
    ...section('its own time limits', limits),
    ...section('what it decides by', conditions),
  ];
}

function fitLines({ method, path, operation, format, reason, fields, proofs }: Fit): string[] {
  return [
    `${method} ${path}  ${operation}, ${format === undefined ? 'no format' : `format ${format.toUpperCase()}`}: ${reason}`,
    `  fields       ${fields.join(', ')}`,
    ...proofs.map(
      ({ id, strong, medium, isProven }) => `  ${isProven ? 'fits' : 'resembles'}  ${id}: ${[...strong, ...medium].join(', ')}`,
    ),
  ];
}

function report(lines: readonly string[], fits: readonly Fit[], sources: readonly SourceFindings[]): Report {
  const proven = new Set(fits.flatMap(({ proofs }) => proofs.filter(({ isProven }) => isProven).map(({ id }) => id)));
  if (proven.size > 0) return { lines: [...lines, '', `Fits: ${[...proven].join(', ')}.`], isFitting: true };
  const skeleton = writeSkeleton(fits, sources);
  const start = skeleton === undefined ? [] : ['To start one from:', '', skeleton];
  return { lines: [...lines, '', 'No family fits.', ...start], isFitting: false };
}
