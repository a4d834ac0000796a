import { basename, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { counted } from '../domain/shown-words';
import type { Config } from '../config';
import type { Traffic } from '../domain/traffic';
import type { LearntEntry } from '../gateway/order/learnt-patience';
import { formatProblems } from '../mapping/problem';
import type { Places } from '../mapping/source';
import { additionsOf, findDrift, hasFound, type Drift } from '../operator/drift/find-drift';
import type { Advice, UnknownField } from '../operator/drift/find-unknown-fields';
import { makePatch, type Addition, type Patch } from '../operator/drift/make-patch';
import { readPatienceFile } from '../watch/patience-file';
import { checkUnlessKnown } from './known-set';
import { parseFolder } from './parse-options';
import { readConfig } from './process';
import { askAdminOrThrow, readSet } from './running-gateway';

interface DriftOptions {
  readonly json?: boolean;
  readonly patch?: boolean;
}

/** `compat-gateway drift`: shows what the running gateway has seen in requests and the mapping does not have. Changes no file by itself. */
export function driftCommand(): Command {
  return new Command('drift')
    .description('Shows what scripts send that the mapping does not know, with a patch for its files.')
    .argument('[folder]', 'the mappings folder to compare with (default: MAPPINGS_DIR)', parseFolder)
    .addOption(new Option('--patch', 'print the patch alone').conflicts('json'))
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      `
Exit codes: 0 nothing to learn (with --patch: the patch was printed), 1 something was found or the gateway cannot be asked, 2 bad usage.
The patch is taken from the folder above the mappings: an alias that moves money is in it only when requests lacked the field.

Examples:
  compat-gateway drift
  compat-gateway drift --patch | patch -p0 && compat-gateway check && compat-gateway reload`,
    )
    .action(async (given: string | undefined, options: DriftOptions) => {
      const { config } = readConfig();
      await compare(given ?? config.mappingsDir, config, options);
    });
}

async function compare(folder: string, config: Config, options: DriftOptions): Promise<void> {
  const read = readSet(folder, (files) => checkUnlessKnown(files, config.dataDir));
  if ('problems' in read) throw new Error(formatProblems(read.problems));
  const { files, mapping, source } = read.set;
  // The admin server is part of this program, so its answer has the declared type.
  const traffic = (await askAdminOrThrow(config, 'GET', '/traffic')) as unknown as Traffic;
  const learnt = readPatienceFile(config.dataDir).entries.filter(({ limitMs }) => limitMs !== undefined);
  const drift = findDrift(traffic, mapping, source);
  const patch = makePatch(files, additionsOf(drift), basename(resolve(folder)));
  const text =
    options.json === true
      ? `${JSON.stringify({ ...drift, learntPatience: learnt, patch }, null, 2)}\n`
      : options.patch === true
        ? patch.diff
        : formatDrift(drift, patch, source.places, learnt);
  process.stdout.write(text);
  // With --patch the exit code stays 0, so that a pipe into `patch` does not fail because there is something to apply.
  if (options.patch !== true && hasFound(drift)) process.exitCode = 1;
}

function formatDrift(drift: Drift, patch: Patch, places: Places, learnt: readonly LearntEntry[]): string {
  const since = new Date(drift.sinceMs).toISOString().slice(0, 16).replace('T', ' ');
  const lost = drift.forgotten === 0 ? '' : `; ${drift.forgotten} more had no room`;
  const blocks = [
    [`${counted(drift.requests, 'request')} since ${since} UTC${lost}.`],
    section('Unknown fields', drift.fields.flatMap(fieldLines)),
    section('Words that no table has', wordLines(drift)),
    section('Addresses that are not served', addressLines(drift)),
    section(
      'Keys that look like a family (not in the patch; `family` of the key in callers.yaml)',
      drift.families.map(familyLine),
    ),
    section('Scripts that hang up before their answer (for information; `patience` of a key fixes it)', learnt.map(patienceLine)),
    section('Never used in this time (for information; not in the patch)', unusedLines(drift)),
    patchLines(patch, places),
    hasFound(drift) ? [] : ['Nothing to learn: every field, word and address that came is known.'],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function familyLine({ caller, family, count: proven, purchases }: Drift['families'][number]): string {
  return `${caller}  looks like ${family}: ${proven} of ${counted(purchases, 'purchase')}`;
}

function patienceLine({ fingerprint, kind, limitMs = 0, hangUpsMs }: LearntEntry): string {
  const ages = hangUpsMs.map((ms) => `${ms / 1000} s`).join(', ');
  return `${fingerprint}  ${kind}  held ${limitMs / 1000} s: hung up after ${ages}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function fieldLines({ operation, name, count: times, callers, formats, kinds, missingField, advice }: UnknownField): string[] {
  const from = formats.length === 0 ? 'no format' : `format ${formats.join(', ').toUpperCase()}`;
  const refused = missingField === 0 ? '' : `, ${missingField} refused with missing_field`;
  return [
    `${operation}  ${name}  ${times}x from ${counted(callers, 'caller')}, ${from}, ${kinds.join('/') || 'always empty'}${refused}`,
    `    ${advise(advice)}`,
  ];
}

const ADVICE = { request_id: 'request id, check', ignore: 'ignore', decide: 'yours to decide' } as const;

function advise(advice: Advice): string {
  if (advice.kind !== 'alias') return `${ADVICE[advice.kind]}: ${advice.because}`;
  const where = advice.format === undefined ? '' : ` of format ${advice.format.toUpperCase()}`;
  return `${advice.movesMoney ? 'alias, check: ' : 'alias: '}it is ${advice.field}${where}: ${advice.because}`;
}

function wordLines({ words }: Drift): string[] {
  return words.flatMap(({ table, word, count: times, places, value, hint }) => [
    `${table}  ${word}  ${times}x  ${places.join(', ')}`,
    `    ${value === undefined ? `yours to decide: ${hint}` : `check this word: ${value} is the only value near to it`}`,
  ]);
}

function addressLines({ addresses }: Drift): string[] {
  return addresses.flatMap(({ method, path, count: times, allowed, hint }) => [
    `${method} ${path}  ${times}x${allowed.length === 0 ? '' : `  takes ${allowed.join(' or ')}, not ${method}`}`,
    ...(hint === undefined ? [] : [`    ${hint}`]),
  ]);
}

function unusedLines({ unused, unusedWords }: Drift): string[] {
  const asked = unused.filter(({ requests }) => requests > 0);
  const silent = unused.filter(({ requests }) => requests === 0).map(({ operation }) => operation);
  return [
    ...asked.map(({ operation, requests, aliases, routes }) =>
      [`${operation} (${counted(requests, 'request')}):`, [...aliases, ...routes].join(', ')].join(' '),
    ),
    ...unusedWords
      .filter(({ uses }) => uses > 0)
      .map(({ table, uses, words }) => `words of ${table} (${counted(uses, 'word')} came): ${words.join(', ')}`),
    ...(silent.length === 0 ? [] : [`no request at all: ${silent.join(', ')}`]),
  ];
}

function patchLines({ made, left, diff }: Patch, places: Places): string[] {
  const line = (addition: Addition): string => {
    const { file, line: at } = places.find(addition.path);
    return `  ${addition.movesMoney ? 'check: ' : ''}${addition.title}  ${file}:${at}`;
  };
  return [
    ...(left.length === 0
      ? []
      : ['To be written by hand, because the check or the layout of the file does not allow a patch:', ...left.map(line), '']),
    ...(made.length === 0
      ? []
      : [
          `Patch (${counted(made.length, 'addition')}; from the folder above: compat-gateway drift --patch | patch -p0)`,
          ...made.map(line),
          '',
          diff.trimEnd(),
        ]),
  ];
}
