/** What `compat-gateway drift` prints for people. */
import type { LearntEntry } from '../gateway/order/learnt-patience';
import type { Places } from '../mapping/source';
import type { Addition, Advice, Drift, DriftedFamily, UnknownField } from '../operator/drift/drift';
import type { Patch } from '../operator/drift/make-patch';

/** True when a person should look: what nobody used is information only. */
export function hasFound({ fields, words, addresses, families }: Drift): boolean {
  return fields.length + words.length + addresses.length + families.length > 0;
}

export function formatDrift(drift: Drift, patch: Patch, places: Places, learnt: readonly LearntEntry[] = []): string {
  const since = new Date(drift.sinceMs).toISOString().slice(0, 16).replace('T', ' ');
  const lost = drift.forgotten === 0 ? '' : `; ${drift.forgotten} more had no room`;
  const blocks = [
    [`${count(drift.requests, 'request')} since ${since} UTC${lost}.`],
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

function familyLine({ caller, family, count: proven, purchases }: DriftedFamily): string {
  return `${caller}  looks like ${family}: ${proven} of ${count(purchases, 'purchase')}`;
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
    `${operation}  ${name}  ${times}x from ${count(callers, 'caller')}, ${from}, ${kinds.join('/') || 'always empty'}${refused}`,
    `    ${advise(advice)}`,
  ];
}

function advise(advice: Advice): string {
  if (advice.kind === 'ignore') return `ignore: ${advice.because}`;
  if (advice.kind === 'decide') return `yours to decide: ${advice.because}`;
  if (advice.kind === 'request_id') return `request id, check: ${advice.because}`;
  const where = advice.format === undefined ? '' : ` of format ${advice.format.toUpperCase()}`;
  return `${advice.movesMoney ? 'alias, check: ' : 'alias: '}it is ${advice.field}${where}: ${advice.because}`;
}

function wordLines({ words }: Drift): string[] {
  return words.flatMap(({ table, word, count: times, places, value, hint }) => [
    `${table}  ${word}  ${times}x  ${places.join(', ')}`,
    `    ${value === undefined ? `yours to decide: ${hint}` : `word, check: it is ${value}, the only value that it is near to`}`,
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
      [`${operation} (${count(requests, 'request')}):`, [...aliases, ...routes].join(', ')].join(' '),
    ),
    ...unusedWords
      .filter(({ uses }) => uses > 0)
      .map(({ table, uses, words }) => `words of ${table} (${count(uses, 'word')} came): ${words.join(', ')}`),
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
      : ['To be written by hand, because the check or the layout of the file is against it:', ...left.map(line), '']),
    ...(made.length === 0
      ? []
      : [
          `Patch (${count(made.length, 'addition')}; from the folder above: compat-gateway drift --patch | patch -p0)`,
          ...made.map(line),
          '',
          diff.trimEnd(),
        ]),
  ];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
