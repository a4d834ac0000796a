/** Breaks on the way in: routes, spellings, what a field must be, the v1 call. */
import type { YamlPath } from '../../mapping/read-yaml';
import { parseRoute } from '../../mapping/routes';
import type { FieldSource, OperationSource, ValueSource } from '../../mapping/language/schema';
import type { MappingSource } from '../../mapping/source';
import { drop, mutant, type Mutant } from './mutant';

export function requestMutants(source: MappingSource): Mutant[] {
  const shared = Object.entries(source.operations).flatMap(([name, operation]) => operationMutants(name, operation, source));
  const own = [...source.formats].flatMap(([id, format]) =>
    Object.entries(format.operations ?? {}).flatMap(([name, { routes, fields }]) => {
      const path = ['formats', id, 'operations', name];
      return [
        ...routeMutants(routes ?? [], [...path, 'routes'], [name]),
        ...Object.entries(fields ?? {}).flatMap(([field, { from }]) =>
          dropEach(from, 'the spelling', [...path, 'fields', field, 'from'], [name]),
        ),
      ];
    }),
  );
  return [
    ...shared,
    ...own,
    ...dropEach(source.request_id, 'the spelling', ['request_id'], purchasesOf(source)),
    ...dropEach(source.request_id_headers, 'the header', ['request_id_headers'], purchasesOf(source)),
  ];
}

function purchasesOf(source: MappingSource): string[] {
  return Object.entries(source.operations).flatMap(([name, { kind }]) => (kind === 'purchase' ? [name] : []));
}

function operationMutants(name: string, operation: OperationSource, source: MappingSource): Mutant[] {
  const path = ['operations', name];
  const {
    routes,
    fields,
    ignore,
    numbering_guard: guard,
    without_key: withoutKey,
    key_in: keyIn,
    undecided,
    join,
    catalog,
    categories,
  } = operation;
  return [
    ...routeMutants(routes ?? [], [...path, 'routes'], [name]),
    ...Object.entries(fields ?? {}).flatMap(([field, one]) => fieldMutants(field, one, [...path, 'fields', field], [name])),
    ...dropEach(ignore ?? [], 'the ignored field', [...path, 'ignore'], [name]),
    ...dropEach(categories ?? [], 'the category', [...path, 'categories'], [name]),
    ...(guard === undefined ? [] : [drop('the numbering guard', [...path, 'numbering_guard'], [name])]),
    ...(guard?.ported === undefined ? [] : [drop('the word on ported numbers', [...path, 'numbering_guard', 'ported'], [name])]),
    ...(withoutKey === undefined ? [] : [drop('the lookup key', [...path, 'without_key'], [name])]),
    ...(keyIn === undefined ? [] : [drop('the fields of the key', [...path, 'key_in'], [name])]),
    ...(catalog === undefined ? [] : [drop('the wish for the catalog', [...path, 'catalog'], [name])]),
    ...(undecided === undefined ? [] : otherFormats(undecided, [...path, 'undecided'], name, source)),
    ...Object.keys(join ?? {}).flatMap((key) => joinMutants(key, [...path, 'join', key], name, operation)),
    ...callMutants(operation, path, name),
  ];
}

function dropEach(texts: readonly string[], what: string, path: YamlPath, operations?: readonly string[], from = 0): Mutant[] {
  return texts.map((text, index) => drop(`${what} ${text}`, [...path, from + index], operations));
}

function routeMutants(routes: readonly string[], path: YamlPath, operations: readonly string[]): Mutant[] {
  return routes.flatMap((text, index) => {
    const addresses = parseRoute(text).flatMap(({ methods, path: address }) => methods.map((method) => `${method} ${address}`));
    if (addresses.length === 1) return [drop(`the route ${text}`, [...path, index], operations)];
    return addresses.map((address) => ({
      words: `drops ${address} of the route ${text}`,
      path: [...path, index],
      edits: [
        { path, value: [...routes.slice(0, index), ...addresses.filter((one) => one !== address), ...routes.slice(index + 1)] },
      ],
      operations,
    }));
  });
}

function fieldMutants(name: string, field: FieldSource, path: YamlPath, operations: readonly string[]): Mutant[] {
  const { from, otherwise, as, required, default: fallback, lenient, min, max, length_max: lengthMax } = field;
  const { try_values: tried, required_if: requiredIf } = field;
  const put = (key: string, words: string, value: unknown): Mutant => mutant(words, [...path, key], value, operations);
  return [
    ...dropEach(from, 'the spelling', [...path, 'from'], operations),
    ...dropEach(otherwise ?? [], 'the spelling', [...path, 'otherwise'], operations),
    ...(otherwise === undefined
      ? []
      : [
          {
            words: `reads ${otherwise.join(', ')} beside ${from.join(', ')}`,
            path: [...path, 'otherwise'],
            edits: [
              { path: [...path, 'from'], value: [...from, ...otherwise] },
              { path: [...path, 'otherwise'], value: undefined },
            ],
            operations,
          },
        ]),
    ...(as === 'text' ? [] : [put('as', `reads ${name} as text instead of ${as}`, 'text')]),
    put('required', required === true ? `no longer requires ${name}` : `requires ${name}`, required === true ? undefined : true),
    ...(fallback === undefined
      ? []
      : [
          put('default', `drops the default of ${name}`, undefined),
          put('default', `changes the default of ${name}`, other(fallback)),
        ]),
    put(
      'lenient',
      lenient === true ? `refuses an unusable ${name}` : `overlooks an unusable ${name}`,
      lenient === true ? undefined : true,
    ),
    ...dropEach((tried ?? []).slice(1), `the value to try of ${name}`, [...path, 'try_values'], operations, 1),
    ...(requiredIf === undefined ? [] : [put('required_if', `no longer requires ${name} where the rest is empty`, undefined)]),
    ...(min === undefined
      ? []
      : [put('min', `drops the least ${name}`, undefined), put('min', `raises the least ${name}`, min + 1)]),
    ...(max === undefined ? [] : [put('max', `drops the most ${name}`, undefined)]),
    ...(lengthMax === undefined ? [] : [put('length_max', `drops the length of ${name}`, undefined)]),
  ];
}

function other(value: string | number | boolean): string | number | boolean {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : `${value} X`;
}

function otherFormats(undecided: string, path: YamlPath, operation: string, source: MappingSource): Mutant[] {
  return [...source.formats.keys()]
    .filter((id) => id !== undecided)
    .map((id) => mutant(`answers in format ${id} when nothing tells`, path, id, [operation]));
}

function joinMutants(key: string, path: YamlPath, operation: string, { join }: OperationSource): Mutant[] {
  const { list, where } = join![key]!;
  return [
    mutant(`joins nothing as ${key}`, path, { list, where: { id: 'no such row' } }, [operation]),
    ...Object.keys(where).map((column) =>
      mutant(`joins ${key} by another column`, path, { list, where: { [`${column}_`]: where[column] } }, [operation]),
    ),
  ];
}

/** What v1 is asked: each field dropped, taken from another field, and without each of its transforms. */
function callMutants({ call, fields }: OperationSource, path: YamlPath, operation: string): Mutant[] {
  const names = Object.keys(fields ?? {});
  return Object.entries(call?.send ?? {}).flatMap(([key, value]) => {
    const at = [...path, 'call', 'send', key];
    const own = typeof value === 'string' ? /^\$([a-z0-9_]+)/.exec(value)?.[1] : undefined;
    const another = names.find((name) => name !== own);
    return [
      drop(`${key} of the call`, at, [operation]),
      ...(another === undefined ? [] : [mutant(`takes ${key} of the call from ${another}`, at, `$${another}`, [operation])]),
      ...withoutTransforms(value, at, [operation]),
    ];
  });
}

/** `$amount | naira` without `naira`. */
export function withoutTransforms(value: ValueSource, path: YamlPath, operations: readonly string[] | undefined): Mutant[] {
  if (typeof value !== 'string' || !value.startsWith('$')) return [];
  const [root = '', ...transforms] = value.split('|').map((part) => part.trim());
  return transforms.map((name, index) =>
    mutant(`drops the transform ${name}`, path, [root, ...transforms.filter((_, at) => at !== index)].join(' | '), operations),
  );
}
