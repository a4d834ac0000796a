/** Fields that contradict themselves or one another. What a field means by itself is judged where it is compiled. */
import type { YamlPath } from '../read-yaml';
import type { FieldSource, OperationSource } from '../language/schema';
import { kindOfField } from '../shape/kind-of-value';
import type { Checking } from './checking';

export function checkFields(checking: Checking): void {
  const { source, report } = checking;
  for (const [name, operation] of Object.entries(source.operations)) {
    const path = ['operations', name];
    const spellings = new Map<string, string>();
    for (const [field, value] of Object.entries(operation.fields ?? {})) {
      checkField(value, [...path, 'fields', field], checking);
      for (const spelling of [...value.from, ...(value.otherwise ?? [])]) spellings.set(spelling, field);
    }
    checkTrials(name, operation, checking);
    checkFormatSpellings(name, checking);
    for (const [index, spelling] of (operation.ignore ?? []).entries())
      if (spellings.has(spelling))
        report(
          [...path, 'ignore', index],
          'ignored-and-read',
          `\`${spelling}\` is a spelling of \`${spellings.get(spelling)!}\``,
        );
    checkList(operation.ignore, [...path, 'ignore'], checking);
    if (operation.kind === 'purchase') checkRequestIds(name, checking);
  }
  checkList(source.request_id, ['request_id'], checking);
}

function checkField(field: FieldSource, path: YamlPath, checking: Checking): void {
  const { source, report } = checking;
  if (field.required === true && field.default !== undefined)
    report([...path, 'default'], 'required-with-default', 'a required field needs no default', { at: 'key' });
  if (field.required === true && field.lenient === true)
    report([...path, 'lenient'], 'required-and-lenient', 'a required field cannot be lenient', { at: 'key' });
  if (field.min !== undefined && field.max !== undefined && field.min > field.max)
    report([...path, 'min'], 'min-over-max', `${field.min} is above ${field.max}`);
  const kind = kindOfField(field, source.tables);
  const isNumber = kind === 'number' || kind === 'kobo';
  for (const bound of ['min', 'max'] as const)
    if (field[bound] !== undefined && !isNumber && kind !== 'any')
      report([...path, bound], 'bound-on-text', `\`${bound}\` has no effect on \`${field.as}\``, { at: 'key' });
  if (field.length_max !== undefined && kind !== 'text' && kind !== 'any')
    report([...path, 'length_max'], 'length-on-number', `\`length_max\` has no effect on \`${field.as}\``, { at: 'key' });
  checkList(field.from, [...path, 'from'], checking, []);
  checkList(field.otherwise, [...path, 'otherwise'], checking, field.from);
}

/** Only one field of a lookup, and only while it can be absent. */
function checkTrials(name: string, { kind, fields = {} }: OperationSource, { report }: Checking): void {
  const trials = Object.entries(fields).filter(([, { try_values: values }]) => values !== undefined);
  for (const [index, [field, { required, default: fallback }]] of trials.entries()) {
    const why =
      kind !== 'lookup'
        ? `\`${name}\` is a ${kind}`
        : index > 0
          ? `\`${trials[0]![0]}\` is tried already`
          : required === true || fallback !== undefined
            ? `\`${field}\` is never absent`
            : undefined;
    if (why !== undefined)
      report(['operations', name, 'fields', field, 'try_values'], 'try-values-misplaced', why, { at: 'key' });
  }
}

/** A format repeats a spelling that every format has. */
function checkFormatSpellings(operation: string, checking: Checking): void {
  const { source } = checking;
  for (const [id, format] of source.formats)
    for (const [field, { from }] of Object.entries(format.operations?.[operation]?.fields ?? {})) {
      const shared = source.operations[operation]?.fields?.[field];
      const path = ['formats', id, 'operations', operation, 'fields', field, 'from'];
      checkList(from, path, checking, [...(shared?.from ?? []), ...(shared?.otherwise ?? [])]);
    }
}

function checkList(
  list: readonly string[] | undefined,
  path: YamlPath,
  { report }: Checking,
  before: readonly string[] = [],
): void {
  const seen = new Set(before);
  for (const [index, spelling] of (list ?? []).entries()) {
    const at = [...path, index];
    const trimmed = spelling.trim();
    if (trimmed !== spelling || trimmed === '')
      report(at, 'spelling-untrimmed', `\`${spelling}\` has spaces around it or is empty`, {
        ...(trimmed === '' ? {} : { fix: { kind: 'replace', to: trimmed } }),
      });
    if (seen.has(spelling)) report(at, 'spelling-repeated', `\`${spelling}\` stands here already`, { fix: { kind: 'remove' } });
    seen.add(spelling);
  }
}

function checkRequestIds(operation: string, { source, report }: Checking): void {
  const check = (from: readonly string[] | undefined, path: YamlPath): void => {
    for (const [index, spelling] of (from ?? []).entries())
      if (source.request_id.includes(spelling))
        report([...path, index], 'request-id-is-field', `\`${spelling}\` is a spelling of the request id`);
  };
  for (const [field, { from, otherwise }] of Object.entries(source.operations[operation]!.fields ?? {})) {
    const path = ['operations', operation, 'fields', field];
    check(from, [...path, 'from']);
    check(otherwise, [...path, 'otherwise']);
  }
  for (const [id, format] of source.formats)
    for (const [field, { from }] of Object.entries(format.operations?.[operation]?.fields ?? {}))
      check(from, ['formats', id, 'operations', operation, 'fields', field, 'from']);
}
