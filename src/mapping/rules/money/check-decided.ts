/** What a mapping decides in a script's place: defaults, unreadable values overlooked, bounds that let nothing through. */
import { parseExpression } from '../../expression';
import type { YamlPath } from '../../read-yaml';
import type { FieldSource, OperationSource, ValueSource } from '../../language/schema';
import type { Checking } from '../checking';
import { endpointOf } from './check-sent';
import { needOf, type V1Need } from './v1-needs';

/** Whose number it may be that is not the one to be served. */
const CONTACTS = /customer|contact|owner|sender|agent|seller|admin|user|alt/i;

export function checkDecided(checking: Checking): void {
  for (const [name, operation] of Object.entries(checking.source.operations)) {
    if (operation.kind !== 'purchase') continue;
    for (const [field, need] of needsByField(operation)) {
      const source = operation.fields![field]!;
      const path = ['operations', name, 'fields', field];
      checkField(source, need, path, checking);
      if (need.isVital === true && need.what === 'a phone number') checkContacts(name, field, checking);
    }
  }
}

/** What each field of the operation is for v1. */
function needsByField(operation: OperationSource): Map<string, V1Need> {
  const endpoint = endpointOf(operation);
  const needs = new Map<string, V1Need>();
  for (const [field, value] of Object.entries(operation.call?.send ?? {})) {
    const need = endpoint === undefined ? undefined : needOf(endpoint, field);
    for (const root of need === undefined ? [] : rootsOf(value))
      if (Object.hasOwn(operation.fields ?? {}, root)) needs.set(root, need!);
  }
  return needs;
}

function rootsOf(value: ValueSource): string[] {
  if (typeof value === 'string') return [parseExpression(value)?.root ?? ''];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap((part: ValueSource) => rootsOf(part));
}

function checkField(field: FieldSource, need: V1Need, path: YamlPath, { report }: Checking): void {
  const { default: fallback, lenient, min } = field;
  const isWeighty = need.isVital === true || need.harmless !== undefined;
  if (fallback !== undefined && isWeighty && !isHarmless(fallback, need))
    report([...path, 'default'], 'default-buys', `a script that leaves it out would buy with \`${String(fallback)}\``, {
      at: 'key',
    });
  if (lenient === true && isWeighty)
    report([...path, 'lenient'], 'lenient-buys', `what cannot be read as ${need.what} would count as left out`, { at: 'key' });
  if (min !== undefined && min <= 0 && isWeighty)
    report([...path, 'min'], 'bound-not-positive', `nobody buys for ${min}`, { hint: 'use `min: 1`' });
}

/** A flag or number may be written as scripts send it: `'0'`, `"1"`. */
function isHarmless(fallback: string | number | boolean, { harmless }: V1Need): boolean {
  if (typeof harmless === 'boolean') return ['false', '0', 'off', 'no', 'n', ''].includes(String(fallback).toLowerCase());
  return harmless !== undefined && String(fallback) === String(harmless);
}

/** The shared spellings and those of every format. */
function checkContacts(operation: string, field: string, { source, report }: Checking): void {
  const check = (spellings: readonly string[] | undefined, path: YamlPath): void => {
    for (const [index, spelling] of (spellings ?? []).entries())
      if (CONTACTS.test(spelling))
        report([...path, index], 'recipient-is-contact', `\`${spelling}\` is whom to call, not the number to be served`);
  };
  const { from, otherwise } = source.operations[operation]!.fields![field]!;
  const path = ['operations', operation, 'fields', field];
  check(from, [...path, 'from']);
  check(otherwise, [...path, 'otherwise']);
  for (const [id, format] of source.formats)
    check(format.operations?.[operation]?.fields?.[field]?.from, [
      'formats',
      id,
      'operations',
      operation,
      'fields',
      field,
      'from',
    ]);
}
