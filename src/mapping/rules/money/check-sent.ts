/** What a call sends against what v1 needs: from the right field, in v1's own values, and never made up. */
import { V1_ENDPOINTS, type V1Endpoint } from '../../../upstream/v1';
import { isExpression, parseExpression, type Expression } from '../../expression';
import type { YamlPath } from '../../read-yaml';
import type { FieldSource, OperationSource, ValueSource } from '../../language/schema';
import { kindOfValue } from '../../shape/kind-of-value';
import { isConstant, RECIPIENTS, TAKES } from '../check-calls';
import type { Checking } from '../checking';
import { readsAs, tableOf } from './reads-as';
import { needOf, type V1Need } from './v1-needs';

/** One field of a call and everything that it is held against. */
interface Sent {
  readonly field: string;
  readonly need: V1Need;
  readonly endpoint: V1Endpoint;
  readonly fields: Readonly<Record<string, FieldSource>>;
  readonly checking: Checking;
}

export function checkSent(checking: Checking): void {
  for (const [name, operation] of Object.entries(checking.source.operations)) {
    const endpoint = endpointOf(operation);
    // A call of the wrong kind of endpoint has one thing wrong, which is told where calls are checked.
    if (endpoint === undefined || endpoint.kind !== operation.kind) continue;
    const path = ['operations', name, 'call', 'send'];
    const { fields = {}, call } = operation;
    for (const [field, value] of Object.entries(call?.send ?? {})) {
      const need = needOf(endpoint, field);
      if (need !== undefined) checkValue(value, [...path, field], { field, need, endpoint, fields, checking });
    }
    checkUnsent(operation, endpoint, path, checking);
  }
}

export function endpointOf({ call }: OperationSource): V1Endpoint | undefined {
  return V1_ENDPOINTS.find(({ method, path }) => `${method} ${path}` === call?.to);
}

function checkValue(value: ValueSource, path: YamlPath, sent: Sent): void {
  const { field, need, fields, checking } = sent;
  // Null, a value of another type and a constant recipient are told where calls are checked.
  if (value === null || !fitsType(value, sent)) return;
  if (isConstant(value)) {
    if (sent.endpoint.kind === 'purchase' && RECIPIENTS.includes(field)) return;
    const asked = Object.entries(fields).find(([, one]) => readsAs(one, need, checking.source.tables));
    if (asked !== undefined || (need.harmless !== undefined && value !== need.harmless))
      checking.report(path, 'constant-in-call', `every order would have \`${JSON.stringify(value)}\` as \`${field}\``, {
        ...(asked === undefined ? {} : { hint: `send \`$${asked[0]}\`` }),
      });
    return;
  }
  if (typeof value === 'string') {
    const expression = isExpression(value) ? parseExpression(value) : undefined;
    if (expression !== undefined) checkExpression(expression, path, sent);
    return;
  }
  for (const [part, at] of alternativesOf(value, path)) {
    if (part !== null && isConstant(part) && part !== need.harmless)
      checking.report(at, 'constant-in-call', `\`${field}\` falls back to \`${JSON.stringify(part)}\``);
    else if (part !== null && !isConstant(part)) checkValue(part, at, sent);
  }
}

function fitsType(value: ValueSource, { field, fields, endpoint, checking }: Sent): boolean {
  const { tables } = checking.source;
  const kind = kindOfValue(value, { fields, tables, joins: {}, endpoint: undefined, list: undefined });
  // In kobo, or through the wrong transform: each has a rule of its own.
  return kind === 'any' || kind === 'kobo' || TAKES[endpoint.fields[field]!.type].includes(kind);
}

/** What `first` and `when` may come to. */
function alternativesOf(value: ValueSource, path: YamlPath): (readonly [ValueSource, YamlPath])[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.map((part: ValueSource, index) => [part, [...path, index]]);
  const { first, value: then, else: other } = value as Readonly<Record<string, ValueSource>>;
  const listed = Array.isArray(first) ? first.map((part: ValueSource, index) => [part, [...path, 'first', index]] as const) : [];
  const either = [
    [then ?? null, [...path, 'value']],
    [other ?? null, [...path, 'else']],
  ] as const;
  return 'when' in value ? [...either] : listed;
}

function checkExpression({ root, transforms }: Expression, path: YamlPath, sent: Sent): void {
  const { field, need, endpoint, fields, checking } = sent;
  const { report, source } = checking;
  if (transforms.includes('number')) {
    report(path, 'format-number-sent', `\`${field}\` would be the number of the script's format`, { hint: 'use `| id`' });
    return;
  }
  const from = Object.hasOwn(fields, root) ? fields[root] : undefined;
  if (from === undefined) return;
  if (!readsAs(from, need, source.tables)) {
    report(path, 'v1-field-misfed', `\`${field}\` is ${need.what}, and \`${root}\` is read as \`${from.as}\``);
    return;
  }
  // Texts are all read alike: v1's own name among the spellings tells them apart.
  const spellings = [...from.from, ...(from.otherwise ?? [])];
  const other = spellings.find((name) => name !== field && Object.hasOwn(endpoint.fields, name));
  if (other !== undefined && !spellings.includes(field)) {
    const isOther = needOf(endpoint, other)?.what === need.what;
    if (isOther) report(path, 'v1-field-misfed', `\`${field}\` is fed from \`${root}\`, which scripts call \`${other}\``);
  }
  checkTable(from, transforms, sent);
}

/** The values that v1 takes, and its numbers of them. */
function checkTable(from: FieldSource, transforms: readonly string[], { field, need, checking }: Sent): void {
  const values = Object.entries(tableOf(from, checking.source.tables)?.values ?? {});
  const isId = transforms.includes('id');
  for (const [name, { id }] of values) {
    const path = ['tables', from.as, 'values', name];
    const ids = need.ids?.[name];
    if (need.values?.includes(name) === false)
      checking.report(path, 'value-not-of-v1', `v1 takes ${need.values.join(', ')} as \`${field}\`, and never \`${name}\``, {
        at: 'key',
      });
    else if (isId && id !== undefined && ids?.includes(id) === false)
      checking.report([...path, 'id'], 'value-not-of-v1', `v1 knows ${name} by ${ids.join(' or ')}, and never by ${id}`);
  }
}

/** What the script says and v1 takes, and what is not sent all the same. */
function checkUnsent(operation: OperationSource, endpoint: V1Endpoint, path: YamlPath, { source, report }: Checking): void {
  const { fields = {}, call } = operation;
  const sent = JSON.stringify(call?.send ?? {});
  const isSent = (name: string): boolean => new RegExp(`\\$${name}\\b`).test(sent);
  for (const [field, { required }] of Object.entries(endpoint.fields)) {
    const need = needOf(endpoint, field);
    if (required || need === undefined || Object.hasOwn(call?.send ?? {}, field)) continue;
    const unheard = Object.entries(fields).find(([name, one]) => {
      const isCalledSo = [...one.from, ...(one.otherwise ?? [])].includes(field);
      return !isSent(name) && (isCalledSo || need.what !== 'a text') && readsAs(one, need, source.tables);
    });
    if (unheard !== undefined)
      report(path, 'v1-field-unsent', `scripts say \`${unheard[0]}\`, v1 takes it as \`${field}\`, and it is not sent`, {
        at: 'key',
        hint: `add \`${field}: $${unheard[0]}\``,
      });
  }
}
