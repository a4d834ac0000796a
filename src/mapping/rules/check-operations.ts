/** Checks what an operation as a whole must have or must not have, and reports parts of the mapping that are never used. */
import { rootsIn } from '../expression';
import { everyReply } from '../merge-layers';
import { INPUT_TRANSFORMS } from '../input-transforms';
import type { OperationSource } from '../language/schema';
import { partsAt, type MappingSource } from '../source';
import { reportUnknownKey, type Checking } from './checking';

export function checkOperations(checking: Checking): void {
  const { source, report } = checking;
  for (const [name, operation] of Object.entries(source.operations)) {
    const path = ['operations', name];
    const routes = [operation.routes, ...[...source.formats.values()].map((format) => format.operations?.[name]?.routes)];
    if (routes.every((some) => (some ?? []).length === 0)) report(path, 'operation-without-route', `\`${name}\` has no address`);
    if (operation.kind === 'status' && operation.fields?.['id'] === undefined)
      report(path, 'status-without-id', `\`${name}\` has no field \`id\``);
    if (operation.without_key !== undefined) checkWithoutKey(name, operation, checking);
    if (operation.key_in !== undefined && operation.kind !== 'read')
      report([...path, 'key_in'], 'key-in-outside-login', `\`${name}\` is a ${operation.kind}, not a login`);
    if (operation.undecided !== undefined && operation.kind === 'purchase')
      report([...path, 'undecided'], 'undecided-moves-money', '`undecided` is a guess, and a guess must not decide a purchase');
    checkGuard(name, operation, checking);
  }
  const kinds = Object.keys(source.callers.kinds);
  for (const { path, names } of partsAt(source, 'operations.*.patience.*'))
    reportUnknownKey(names[1], kinds, ['kind of caller', 'unknown-caller-kind'], path, { report });
  for (const pattern of ['operations.*.after_pending', 'formats.*.operations.*.after_pending'] as const)
    for (const { path, names } of partsAt(source, pattern)) {
      const name = names.at(-1)!;
      if (Object.hasOwn(source.operations, name) && source.operations[name]!.kind !== 'purchase')
        report(path, 'after-pending-without-order', `\`${name}\` is not a purchase`);
    }
}

function checkWithoutKey(name: string, { kind }: OperationSource, { report }: Checking): void {
  const path = ['operations', name, 'without_key'];
  if (kind === 'purchase') report(path, 'lookup-key-on-purchase', 'the operator would pay for purchases without a key');
  else if (kind !== 'lookup')
    report(path, 'lookup-key-shows-operator', `a ${kind} without a key shows the operator’s own account`);
}

/** The numbering guard compares the network of a number with the prefix of a phone number, so it needs both fields. */
function checkGuard(name: string, operation: OperationSource, { source, report }: Checking): void {
  const { numbering_guard: guard, fields = {} } = operation;
  const path = ['operations', name, 'numbering_guard'];
  if (guard === undefined) {
    const [number] = numberedFields(operation, source);
    const phone = Object.values(fields).find(({ as }) => as === 'phone');
    if (number !== undefined && phone !== undefined)
      report(['operations', name], 'purchase-without-guard', `\`${name}\` sends \`${number}\` without a guard`);
    return;
  }
  const sent = rootsIn(operation.call?.send);
  for (const [role, field] of Object.entries(guard))
    if (field !== undefined && Object.hasOwn(fields, field) && !sent.has(field))
      report([...path, role], 'guard-cannot-tell', `v1 is not sent \`${field}\``);
  const number = Object.hasOwn(fields, guard.number) ? fields[guard.number] : undefined;
  const table = number === undefined ? undefined : source.tables[number.as];
  if (number !== undefined && table === undefined)
    report([...path, 'number'], 'guard-cannot-tell', `\`${guard.number}\` is not read through a table`);
  else if (table !== undefined && !Object.values(table.values ?? {}).some(({ prefixes }) => (prefixes ?? []).length > 0))
    report([...path, 'number'], 'guard-cannot-tell', `the table \`${number!.as}\` has no prefixes`);
  const phone = Object.hasOwn(fields, guard.phone) ? fields[guard.phone] : undefined;
  if (phone !== undefined && phone.as !== 'phone' && Object.hasOwn(INPUT_TRANSFORMS, phone.as))
    report([...path, 'phone'], 'guard-cannot-tell', `\`${guard.phone}\` is not read as \`phone\``);
  const ported = guard.ported !== undefined && Object.hasOwn(fields, guard.ported) ? fields[guard.ported] : undefined;
  if (ported !== undefined && ported.as !== 'flag')
    report([...path, 'ported'], 'guard-cannot-tell', `\`${guard.ported!}\` is not read as \`flag\``);
}

/** Sent fields of a purchase whose numbers mean different things in different numberings, and whose table has prefixes. */
function numberedFields({ kind, fields, call }: OperationSource, source: MappingSource): string[] {
  if (kind !== 'purchase') return [];
  const sent = rootsIn(call?.send);
  return Object.entries(fields ?? {}).flatMap(([name, { as }]) => {
    const numberings = [
      ...[...source.formats.values()].map((format) => ({ ...source.tables[as]?.numbers, ...format.numbers?.[as] })),
      ...source.other_numberings.filter(({ table }) => table === as).map(({ numbers }) => numbers),
    ].flatMap((numbers) => (Object.keys(numbers).length === 0 ? [] : [JSON.stringify(Object.entries(numbers).sort())]));
    const hasPrefixes = Object.values(source.tables[as]?.values ?? {}).some(({ prefixes }) => prefixes !== undefined);
    return hasPrefixes && new Set(numberings).size > 1 && sent.has(name) ? [name] : [];
  });
}

/** Runs only on a set without errors: a misspelt name would make the part that it means look unused. */
export function checkUnused({ source, report }: Checking): void {
  const replies = JSON.stringify(repliesOf(source));
  const included = includedBlocks(source);
  for (const block of Object.keys(source.blocks))
    if (!included.has(block)) report(['blocks', block], 'unused-block', `block \`${block}\` is not included anywhere`);
  for (const row of Object.keys(source.rows))
    if (!replies.includes(`"row":${JSON.stringify(row)}`))
      report(['rows', row], 'unused-row', `row shape \`${row}\` is not used anywhere`);
  const read = new Set(Object.values(source.operations).flatMap(({ fields }) => Object.values(fields ?? {}).map(({ as }) => as)));
  for (const table of Object.keys(source.tables))
    if (!read.has(table)) report(['tables', table], 'unused-table', `no field is read by table \`${table}\``);
  for (const [name, operation] of Object.entries(source.operations)) {
    const told = rootsIn(everyReply(source).filter((one) => one.operation === name));
    for (const join of Object.keys(operation.join ?? {}))
      if (!told.has(join)) report(['operations', name, 'join', join], 'join-unused', `no reply uses \`$${join}\``);
  }
}

function repliesOf(source: MappingSource): unknown[] {
  return [everyReply(source), source.rows, Object.values(source.callers.keys).map(({ lists }) => lists)];
}

/** The included blocks. The gateway itself includes `refusal`, and every list includes `words`. */
function includedBlocks(source: MappingSource): Set<string> {
  return new Set(['refusal', 'words', ...everyReply(source).flatMap(({ reply }) => reply.include ?? [])]);
}
