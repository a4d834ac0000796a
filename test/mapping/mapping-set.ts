/** Sets of mapping files for tests: a small base without mistakes, sets that differ from it, and the shipped files, edited or not. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkFiles, type CheckedMapping } from '../../src/mapping/check';
import { checkOnce } from '../../src/mapping/checked-set';
import { compileMapping } from '../../src/mapping/compile';
import { mergeFiles, readFolder, type MappingFileText } from '../../src/mapping/load';
import type { Mapping } from '../../src/mapping/mapping';
import { createReport } from '../../src/mapping/source';
import { keptValues } from '../kept-values';
import { newFolder } from '../new-folder';

export const MAPPINGS = resolve(__dirname, '..', '..', 'mappings');

function shippedSection(name: string, file = 'callers.yaml'): unknown {
  return (parse(readFileSync(join(MAPPINGS, file), 'utf8')) as Record<string, unknown>)[name];
}

/** One file per section, so that a test can replace a section. */
const SECTIONS: Readonly<Record<string, string>> = {
  request_id: 'request_id: [request-id, ref]',
  words: `
words:
  success: { http: 200, status: success, Status: successful }
  pending: { http: 200, status: pending, Status: processing }
  failure: { http: 400, status: fail, Status: failed }
  unread: { status: pending, Status: process }`,
  // As shipped; tests do not depend on these values.
  timing: stringify({ timing: shippedSection('timing') }),
  texts: stringify({ texts: shippedSection('texts', 'replies.yaml') }),
  lookup_key: stringify({ lookup_key: shippedSection('lookup_key') }),
  callers: `
callers:
  kinds:
    php: { user_agents: ['', adex, 'PHP*'], patience: 40s }
    other: { patience: 4s }`,
  blocks: 'blocks: { refusal: { failure: { status: $words.status, code: $refusal.code, error: [$text] } } }',
  tables: `
tables:
  network:
    title: network
    values:
      MTN: { id: 1, words: [MTN], prefixes: ['0803'] }
      GLO: { id: 2, label: Glo, words: [GLO, GLOBACOM], prefixes: ['0805', '08051'] }`,
  operations: buyAirtime(
    '{ always: { status: $words.status, network: $network, sum: $amount | naira }, success: { ok: true }, failure: { error: [$text] } }',
    'ignore: [mobile_number, bypass, plan, plan_type]',
  ),
  format: `
format: x
title: Format X
numbers: { network: { 1: MTN, 2: GLO } }`,
};

/** The purchase of the base, with the test's own reply, keys and fields. */
export function buyAirtime(reply: string, keys = '', fields = ''): string {
  return `operations:
  buy:
    title: Airtime
    kind: purchase
    routes: [POST /api/buy]
    fields:
      network: { from: [network], as: network, required: true }
      phone: { from: [phone], as: phone, required: true }
      amount: { from: [amount], as: naira, required: true }
      ${fields}
    call: { to: POST /airtime, send: { network: $network, phone: $phone, amount: $amount | naira } }
    ${keys}
    reply: ${reply}`;
}

/** The base, with the sections of each text replacing its own. The texts become files called `1.yaml`, `2.yaml`… */
export function filesWith(...texts: readonly string[]): MappingFileText[] {
  const sectionsOf = (text: string): string[] => Object.keys(SECTIONS).filter((name) => new RegExp(`^${name}:`, 'm').test(text));
  // The operations of a format are added to the shared ones.
  const replaced = texts.flatMap((text) => (/^format:/m.test(text) ? ['format'] : sectionsOf(text)));
  return [
    ...texts.map((text, index) => ({ file: `${index + 1}.yaml`, text })),
    ...Object.entries(SECTIONS)
      .filter(([section]) => !replaced.includes(section))
      .map(([section, text]) => ({ file: `base-${section}.yaml`, text: text.trimStart() })),
  ];
}

export function checkWith(...texts: readonly string[]): CheckedMapping {
  return checkFiles(filesWith(...texts));
}

/** The mapping of a set that compiles. The rules of `check`, which ask whether a set is safe to sell with, are not applied. */
export function mappingWith(...texts: readonly string[]): Mapping {
  const { source, problems: found } = mergeFiles(filesWith(...texts));
  const problems = [...found];
  const mapping = source === undefined ? undefined : compileMapping(source, createReport(source.places, problems));
  if (mapping === undefined || problems.some(({ severity }) => severity === 'error'))
    throw new Error(problems.map((problem) => problem.message).join('\n'));
  return mapping;
}

let shipped: Mapping | undefined;

/** The shipped mappings, compiled once for a suite and checked once for all, because they never change. */
export function shippedMapping(): Mapping {
  return (shipped ??= mappingOrThrow(checkOnce(keptValues(), shippedFiles())));
}

export function shippedFiles(): readonly MappingFileText[] {
  const read = readFolder(MAPPINGS);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.files;
}

/** The shipped files and one more, as an operator would add it. */
export const mappingBeside = (text: string): Mapping => mappingOf([...shippedFiles(), { file: 'own.yaml', text }]);

/** The shipped files, one of them edited. */
export const editedFiles = (name: string, from: string | RegExp, to: string): readonly MappingFileText[] =>
  shippedFiles().map((file) => (file.name === name ? { ...file, text: edited(file.text, from, to) } : file));

/** The mapping of files in which `check` finds no problem. */
export const mappingOf = (files: readonly MappingFileText[]): Mapping => mappingOrThrow(checkFiles(files));

function mappingOrThrow({ mapping, problems }: CheckedMapping): Mapping {
  if (mapping === undefined || problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return mapping;
}

/** A copy of the shipped folder. */
export function copyMappings(folder = newFolder()): string {
  cpSync(MAPPINGS, folder, { recursive: true });
  return folder;
}

/** Edits a file as an operator does. */
export function editFile(path: string, from: string | RegExp, to: string): void {
  writeFileSync(path, edited(readFileSync(path, 'utf8'), from, to));
}

function edited(text: string, from: string | RegExp, to: string): string {
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`there is no ${from} to be replaced`);
  return changed;
}

export interface Marked {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** A text whose `§` marks a place; the mark itself is removed. */
export function marked(text: string): Marked {
  const offset = text.indexOf('§');
  if (offset < 0) throw new Error('this text marks no place');
  const before = text.slice(0, offset).split('\n');
  return { text: text.replace('§', ''), line: before.length, column: before.at(-1)!.length + 1 };
}
