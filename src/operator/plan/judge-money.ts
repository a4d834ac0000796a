/**
 * Judges whether a difference can change which network, amount or plan is bought, which format is detected, or how an order's
 * end is told. Most keys are judged where the language declares them; this file judges those that depend on other parts of
 * the mapping. A doubtful difference counts as money.
 */
import { isJsonObject, isList } from '../../domain/json';
import { isExpression, parseExpression, rootsIn } from '../../mapping/expression';
import { MODEL } from '../../mapping/language/model';
import type { FieldSource, OperationSource, ValueSource } from '../../mapping/language/schema';
import type { OperationKind } from '../../mapping/mapping';
import { everyReply, isFields } from '../../mapping/merge-layers';
import { oncePerSource, type MappingSource } from '../../mapping/source';
import { KIND_ORDER_PATTERN, leavesOf, type Meaning } from './read-meaning';

export interface Sides {
  readonly before: MappingSource;
  readonly after: MappingSource;
}

/** Columns of v1's lists, by v1's names, whose values no script sends in an order. */
const COSMETIC_COLUMNS: ReadonlySet<string> = new Set('name plan_name data_size validity description created_at'.split(' '));
/** Parts of `$order`, `$v1` and `$login` that scripts only display. */
const COSMETIC_SOURCES: ReadonlySet<string> = new Set([
  'order.opened_at',
  'v1.data.address',
  'v1.data.description',
  'v1.data.currency',
  'login.username',
]);

/** Why the change can move money; undefined if it cannot. A new or removed branch is judged with all that it contains. */
export function judgeMoney(sides: Sides, before: Meaning | undefined, after: Meaning | undefined): string | undefined {
  const both = [before, after].filter((one) => one !== undefined);
  // Without other signals a network number is unambiguous only if all formats agree on it, so even an empty new format can move money.
  if (both.length === 1 && both[0]!.pattern === 'formats.*') return 'decides in which format a request is read';
  // The name is in the hash by which a repeat without an id finds its order.
  if (after === undefined && before!.pattern === 'operations.*' && operationsOf(before!.names[0]!, sides).some(isPurchase))
    return 'under another name, a sale of before that is sent again without an id may be sold twice';
  // If a branch became another kind of value, the whole value is judged as well.
  const isOtherKind = both.length === 2 && both[0]!.kind !== both[1]!.kind;
  for (const part of [...both.flatMap(leavesOf), ...(isOtherKind ? both : [])]) {
    const reason = judgePart(part, sides);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function judgePart(part: Meaning, sides: Sides): string | undefined {
  const { pattern, names } = part;
  const judged = pattern === KIND_ORDER_PATTERN ? 'by kind of caller' : MODEL.keys.get(pattern)?.judged;
  if (judged === undefined) return 'is a key that is not known to be harmless';
  if (typeof judged === 'object') return judged.money;
  const operation = /^(?:formats|families)\./.test(pattern) ? names[1]! : names[0]!;
  switch (judged) {
    case 'plain':
      return undefined;
    case 'by kind of operation':
      return isHarmlessKind(operation, sides) ? undefined : 'decides which orders are taken';
    case 'by kind of caller':
      return [sides.before, sides.after].some(doKindsDifferAfterPending)
        ? 'its kind decides whether an order is still bought after pending'
        : undefined;
    case 'by field':
      return judgeField(operation, names[pattern.startsWith('formats.') ? 2 : 1]!, String(pattern.split('.').at(-1)), sides);
    case 'by reply field':
      return judgeReplyField(operation, part, sides);
    case 'by row column':
      return isCosmetic(part) ? undefined : 'scripts order by the numbers and prices of these lists';
  }
}

/** If all kinds have the same `after_pending`, the kind of a caller decides only its patience, which moves no money. */
function doKindsDifferAfterPending({ callers }: MappingSource): boolean {
  return new Set(Object.values(callers.kinds).map((kind) => kind.after_pending)).size > 1;
}

const HARMLESS_KINDS: ReadonlySet<OperationKind> = new Set(['read', 'list', 'history']);

const isPurchase = ({ kind }: OperationSource): boolean => kind === 'purchase';

function operationsOf(name: string, { before, after }: Sides): OperationSource[] {
  return [before, after].flatMap(({ operations }) => (Object.hasOwn(operations, name) ? [operations[name]!] : []));
}

function isHarmlessKind(operation: string, sides: Sides): boolean {
  const both = operationsOf(operation, sides);
  return both.length > 0 && both.every(({ kind }) => HARMLESS_KINDS.has(kind));
}

function judgeField(operation: string, name: string, key: string, sides: Sides): string | undefined {
  const both = operationsOf(operation, sides);
  if (both.some((one) => isSent(name, one))) return `v1 is asked with ${name}`;
  const fields = both.flatMap(({ fields = {} }): FieldSource[] => (Object.hasOwn(fields, name) ? [fields[name]!] : []));
  const kinds = new Set(both.map(({ kind }) => kind));
  if (kinds.has('list')) return 'decides which plans a script is shown';
  // The history with an order's id is a question about that order alone.
  if (kinds.has('status') || fields.some(({ as }) => as === 'order_id')) return 'decides which order a status request finds';
  if (!kinds.has('purchase')) return undefined;
  // A field that is only echoed can still refuse a purchase: when it is required, or when its unusable values are not ignored.
  if (key === 'default' || (key !== 'required' && key !== 'lenient' && fields.every(({ lenient }) => lenient === true)))
    return undefined;
  return 'can refuse a purchase';
}

/** Whether the field decides what is bought: it is sent to v1, or the numbering guard or a join of prices reads it. */
function isSent(name: string, { call, numbering_guard: guard, join }: OperationSource): boolean {
  return Object.values(guard ?? {}).includes(name) || rootsIn([call?.send, join]).has(name);
}

function judgeReplyField(operation: string, part: Meaning, sides: Sides): string | undefined {
  const both = operationsOf(part.pattern.startsWith('blocks.') ? '' : operation, sides);
  if (both.length > 0 && both.every(({ kind }) => kind === 'read' || kind === 'history'))
    return isCosmetic(part) ? undefined : 'scripts read balances and orders from it';
  const name = String(part.path.at(-1));
  if (decidingFieldsOf(sides.before).has(name)) return 'some script decides by this field';
  if (decidingFieldsOf(sides.after).has(name)) return 'adds a value under a name by which scripts may decide';
  return isCosmetic(part, (root) => isEchoed(root, both)) ? undefined : 'scripts read orders from their replies';
}

function isEchoed(root: string, operations: readonly OperationSource[]): boolean {
  return operations.some(({ fields = {} }) => Object.hasOwn(fields, root)) && operations.every((one) => !isSent(root, one));
}

/**
 * The names of fields that have more than cosmetic values in some reply. They count in every reply: a script that reads `message`
 * or `id` in one reply reads it in all.
 */
const decidingFieldsOf = oncePerSource((source): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { reply, operation } of everyReply(source)) {
    const of = source.operations[operation ?? ''];
    const isEcho = (root: string): boolean => of !== undefined && isEchoed(root, [of]);
    for (const layer of [reply.always, reply.success, reply.pending, reply.failure]) addDeciding(layer, isEcho, names);
  }
  return names;
});

function addDeciding(fields: ValueSource | undefined, isEcho: (root: string) => boolean, into: Set<string>): void {
  if (!isFields(fields)) return;
  for (const [name, value] of Object.entries(fields)) {
    if (isFields(value)) addDeciding(value, isEcho, into);
    else if (!isCosmeticValue(value, isEcho)) into.add(name);
  }
}

/** Whether the value is cosmetic: no known script bases a decision on it. */
function isCosmetic(part: Meaning, isEcho: (root: string) => boolean = () => false): boolean {
  return part.kind === 'leaf' && isCosmeticValue(part.value as ValueSource, isEcho);
}

function isCosmeticValue(value: ValueSource, isEcho: (root: string) => boolean): boolean {
  if (typeof value === 'string') {
    const expression = parseExpression(value);
    if (expression === undefined) return false;
    const { root, path } = expression;
    if (path.length === 0) return isEcho(root);
    const isList = path.length === 1 && root !== 'order' && root !== 'refusal' && root !== 'words' && root !== 'sent';
    return COSMETIC_SOURCES.has([root, ...path].join('.')) || (isList && COSMETIC_COLUMNS.has(path[0]!));
  }
  if (!isJsonObject(value) || !isList(value['first'])) return false;
  // A constant text among the alternatives, such as `30 days`, is as cosmetic as the values that it replaces.
  const parts = value['first'].filter((part) => typeof part !== 'string' || isExpression(part));
  return parts.length > 0 && parts.every((part) => isCosmeticValue(part, isEcho));
}
