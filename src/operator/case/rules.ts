/** Lists the rules of a mapping that a case can show, each with its place in the source. */
import { sourceOfFamily } from '../../mapping/compile-family';
import type { JsonObject } from '../../domain/json';
import { TOLD_AS } from '../../domain/outcome';
import { INPUT_TRANSFORMS } from '../../mapping/input-transforms';
import type { ValueSource } from '../../mapping/language/schema';
import type { OperationKind } from '../../mapping/mapping';
import { BARE_LIST, isFields, refusalFields } from '../../mapping/merge-layers';
import type { YamlPath } from '../../mapping/read-yaml';
import { parseRoute, routesOf } from '../../mapping/routes';
import { spellingsOf } from '../../mapping/rules/checking';
import { outcomeReplies } from '../../mapping/rules/reply-layers';
import { partsAt, type MappingSource } from '../../mapping/source';

export const RULE_KINDS = [
  ...(['route', 'spelling', 'table word', 'table number', 'prefix'] as const),
  ...(['transform', 'signal', 'outcome', 'reply field'] as const),
] as const;
type RuleKind = (typeof RULE_KINDS)[number];

export type Rule = ReturnType<typeof rule>;

/** The kind and the path of a rule as one text. `more` tells rules with the same path apart. */
export const idOf = (kind: RuleKind, path: YamlPath, more = ''): string => [kind, ...path.map(String), more].join('\0');

export function listRules(source: MappingSource): Rule[] {
  const rules = [
    ...routeRules(source),
    ...spellingRules(source),
    ...tableRules(source),
    ...transformRules(source),
    ...signalRules(source),
    ...outcomeRules(source),
    ...replyRules(source),
  ];
  return [...new Map(rules.map((rule) => [rule.id, rule])).values()];
}

/** `shownRules` returns the ids; the words are for people. */
const rule = (kind: RuleKind, path: YamlPath, words: string, more = '') => ({
  kind,
  path,
  words,
  id: idOf(kind, path, more),
});

function routeRules(source: MappingSource): Rule[] {
  return routesOf(source).flatMap(({ text, path }) =>
    parseRoute(text).flatMap(({ methods, path: address }) =>
      methods.map((method) => rule('route', path, `${method} ${address}`, `${method} ${address}`)),
    ),
  );
}

function spellingRules(source: MappingSource): Rule[] {
  return [
    ...spellingsOf(source).map(({ operation, field, spelling, path }) =>
      rule('spelling', path, `${spelling} (${field} of ${operation})`),
    ),
    ...partsAt(source, 'request_id.*').map(({ value, path }) => rule('spelling', path, `${value} (the request id)`)),
    ...partsAt(source, 'request_id_headers.*').map(({ value, path }) =>
      rule('spelling', path, `${value} (header of the request id)`),
    ),
  ];
}

function tableRules(source: MappingSource): Rule[] {
  const shared = Object.entries(source.tables).flatMap(([name, { values, numbers }]) => [
    ...Object.entries(values ?? {}).flatMap(([value, { words, prefixes }]) => [
      ...words.map((word, index) =>
        rule('table word', ['tables', name, 'values', value, 'words', index], `${word} (${name} ${value})`),
      ),
      ...(prefixes ?? []).map((prefix, index) =>
        rule('prefix', ['tables', name, 'values', value, 'prefixes', index], `${prefix} (${name} ${value})`),
      ),
    ]),
    ...numberRules(['tables', name, 'numbers'], numbers, name),
  ]);
  const own = partsAt(source, 'formats.*.numbers.*').flatMap(({ value, path, names }) =>
    numberRules(path, value, `${names[1]}, format ${names[0]}`),
  );
  const ofFields = partsAt(source, FIELD_NUMBERS).flatMap(({ value, path, names }) =>
    numberRules(path, value, `${names[2]} of ${names[1]}`),
  );
  const others = partsAt(source, 'other_numberings.*').flatMap(({ value, path }) =>
    numberRules([...path, 'numbers'], value.numbers, value.title),
  );
  return [...shared, ...own, ...ofFields, ...others];
}

/** The numberings that a format declares for single fields. */
export const FIELD_NUMBERS = 'formats.*.operations.*.fields.*.numbers';

function numberRules(path: YamlPath, numbers: Readonly<Record<string, string>> | undefined, of: string): Rule[] {
  return Object.entries(numbers ?? {}).map(([number, value]) =>
    rule('table number', [...path, number], `${number} is ${value} (${of})`),
  );
}

/** One rule for each use of a transform. All uses have the same id, of which `listRules` keeps the last. */
function transformRules(source: MappingSource): Rule[] {
  return partsAt(source, 'operations.*.fields.*.as').flatMap(({ value: as, path }) =>
    Object.hasOwn(INPUT_TRANSFORMS, as) ? [{ ...rule('transform', path, as), id: idOf('transform', [as]) }] : [],
  );
}

function signalRules(source: MappingSource): Rule[] {
  const all = [...partsAt(source, 'formats.*.proof.*'), ...partsAt(source, 'families.*.proof.*')];
  return all.flatMap(({ value: signal, path, names: [id] }) => {
    const { any_field: any, all_fields: fields, field, is, path: address, auth } = signal;
    if (any !== undefined) return any.map((name, at) => rule('signal', [...path, 'any_field', at], `field ${name} (${id})`));
    if (field !== undefined)
      return (is ?? []).map((word, at) => rule('signal', [...path, 'is', at], `${field} is ${word} (${id})`));
    return [rule('signal', path, `${fields?.join(' and ') ?? address ?? auth ?? 'nothing'} (${id})`)];
  });
}

const PURCHASE_OUTCOMES = Object.keys(TOLD_AS);
const QUESTION_OUTCOMES = ['found', 'refused', 'unavailable'] as const;

/** The possible outcomes of a request, by the kind of its operation. */
const OUTCOMES_OF: Readonly<Record<OperationKind, readonly string[]>> = {
  purchase: [...PURCHASE_OUTCOMES, 'refused'],
  status: [...PURCHASE_OUTCOMES, 'refused'],
  lookup: QUESTION_OUTCOMES,
  read: QUESTION_OUTCOMES,
  list: QUESTION_OUTCOMES,
  history: QUESTION_OUTCOMES,
};

function outcomeRules(source: MappingSource): Rule[] {
  return Object.entries(source.operations).flatMap(([operation, { kind }]) =>
    OUTCOMES_OF[kind].map((outcome) => rule('outcome', ['operations', operation], `${operation}: ${outcome}`, outcome)),
  );
}

function replyRules(source: MappingSource): Rule[] {
  const placed = [
    ...outcomeReplies(source).flatMap(({ operation, fields }) =>
      [...fields].map(([name, placed]) => [name === BARE_LIST ? operation : name, placed] as const),
    ),
    ...refusalFields(source.blocks),
    ...Object.keys(source.families).flatMap((id) =>
      outcomeReplies(sourceOfFamily(source, id)).flatMap(({ fields }) =>
        [...fields].filter(([, { path }]) => path[0] === 'families'),
      ),
    ),
  ].flatMap(([key, { value, path }]) => leaves(value, path, key));
  const rows = partsAt(source, 'rows.*.*').flatMap(({ value, path, names }) => leaves(value, path, names[1]));
  return [...placed, ...rows].map(({ path, name }) => rule('reply field', path, name));
}

/** Whether the value is a map of fields, each a rule of its own. `first`, `when`, `each` and lists count as one value. */
export function isNested(value: ValueSource): value is JsonObject {
  return isFields(value) && Object.keys(value).length > 0;
}

function leaves(value: ValueSource, path: YamlPath, name: string): { path: YamlPath; name: string }[] {
  if (!isNested(value)) return [{ path, name }];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, [...path, key], `${name}.${key}`));
}
