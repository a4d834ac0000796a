/** Breaks on the way out: outcome words, texts, every field of every reply and row. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { ReplySource, ValueSource } from '../../mapping/language/schema';
import type { MappingSource } from '../../mapping/source';
import { drop, mutant, type Mutant } from './mutant';
import { withoutTransforms } from './request-mutants';

type Fields = Readonly<Record<string, ValueSource>>;

export function replyMutants(source: MappingSource): Mutant[] {
  return [
    ...Object.entries(source.operations).flatMap(([name, { reply }]) =>
      replyOf(reply ?? {}, ['operations', name, 'reply'], reachOf(name, source)),
    ),
    ...[...source.formats].flatMap(([id, { reply }]) => replyOf(reply ?? {}, ['formats', id, 'reply'], undefined)),
    ...[...source.formats].flatMap(([id, { operations }]) =>
      Object.entries(operations ?? {}).flatMap(([name, { reply }]) =>
        replyOf(reply ?? {}, ['formats', id, 'operations', name, 'reply'], reachOf(name, source)),
      ),
    ),
    ...Object.entries(source.blocks).flatMap(([name, block]) => replyOf(block, ['blocks', name], undefined)),
    ...Object.entries(source.rows).flatMap(([name, fields]) => fieldsOf(fields, ['rows', name], undefined)),
    ...wordMutants(source),
  ];
}

/** An order is told in its own operation's reply also when its status is asked. */
function reachOf(operation: string, source: MappingSource): string[] {
  const isOrder = source.operations[operation]?.kind === 'purchase';
  const status = Object.entries(source.operations).flatMap(([name, { kind }]) => (kind === 'status' ? [name] : []));
  return isOrder ? [operation, ...status] : [operation];
}

function wordMutants({ words, texts }: MappingSource): Mutant[] {
  return [
    ...Object.entries(words).flatMap(([outcome, { http, status, Status }]) => [
      mutant(`changes the HTTP status of ${outcome}`, ['words', outcome, 'http'], http + 1),
      mutant(`changes the word ${status}`, ['words', outcome, 'status'], `${status}x`),
      mutant(`changes the word ${Status}`, ['words', outcome, 'Status'], `${Status}x`),
    ]),
    ...Object.entries(texts).map(([name, text]) => mutant(`changes the text of ${name}`, ['texts', name], `${text} X`)),
  ];
}

const LAYERS = ['always', 'success', 'pending', 'failure'] as const;

function replyOf(reply: ReplySource, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  return [
    ...(reply.include ?? []).map((block, index) => drop(`the block ${block}`, [...path, 'include', index], operations)),
    ...LAYERS.flatMap((layer) => {
      const value = reply[layer];
      if (value === undefined || value === null || typeof value !== 'object') return [];
      const at = [...path, layer];
      return Array.isArray(value) || 'each' in value
        ? valueMutants(value as ValueSource, at, operations)
        : fieldsOf(value as Fields, at, operations);
    }),
  ];
}

function fieldsOf(fields: Fields, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const at = [...path, key];
    return [drop(`${key} of the reply`, at, operations), ...valueMutants(value, at, operations)];
  });
}

function valueMutants(value: ValueSource, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  const replaced = mutant(
    `replaces what ${String(path.at(-1))} holds`,
    path,
    typeof value === 'boolean' ? !value : 'broken on purpose',
    operations,
  );
  if (typeof value === 'string') return [replaced, ...withoutTransforms(value, path, operations)];
  if (value === null || typeof value !== 'object') return [replaced];
  if (Array.isArray(value))
    return [replaced, ...value.flatMap((part: ValueSource, index) => valueMutants(part, [...path, index], operations))];
  const object = value as Fields;
  if ('first' in object) return firstMutants(object, path, operations);
  if ('when' in object) return whenMutants(object, path, operations);
  if ('each' in object) return eachMutants(object, path, operations);
  return Object.keys(object).length === 0 ? [replaced] : fieldsOf(object, path, operations);
}

function firstMutants({ first }: Fields, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  const parts = Array.isArray(first) ? (first as readonly ValueSource[]) : [];
  return [
    ...parts.map((part, index) => drop(`the alternative ${JSON.stringify(part)}`, [...path, 'first', index], operations)),
    ...(parts.length < 2 ? [] : [mutant('turns the alternatives around', [...path, 'first'], [...parts].reverse(), operations)]),
  ];
}

function whenMutants({ when, value }: Fields, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  return [
    mutant('drops the condition', path, value, operations),
    ...Object.keys((when ?? {}) as Fields).map((key) =>
      mutant(`turns the condition on ${key} around`, [...path, 'when', key], 'another value', operations),
    ),
    ...valueMutants(value ?? null, [...path, 'value'], operations),
  ];
}

function eachMutants(object: Fields, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  const conditions = (object['where'] ?? {}) as Fields;
  const any = (object['where_any'] ?? []) as readonly ValueSource[];
  return [
    mutant(`empties the list ${String(path.at(-1))}`, path, [], operations),
    ...Object.entries(conditions).flatMap(([key, wanted]) => [
      drop(`the condition on ${key}`, [...path, 'where', key], operations),
      ...(Array.isArray(wanted)
        ? wanted.map((word, index) =>
            drop(`${String(word)} of the condition on ${key}`, [...path, 'where', key, index], operations),
          )
        : []),
    ]),
    ...any.map((_, index) => drop(`one of the conditions`, [...path, 'where_any', index], operations)),
    ...('only' in object ? [drop('only', [...path, 'only'], operations)] : []),
  ];
}
