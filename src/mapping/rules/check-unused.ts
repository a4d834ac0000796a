/** What is written and has no effect. Told only of a set without errors: beside a misspelt name it would be noise. */
import { everyReply } from '../merge-layers';
import type { MappingSource } from '../source';
import type { Checking } from './checking';

export function checkUnused({ source, report }: Checking): void {
  const replies = JSON.stringify(repliesOf(source));
  const included = includedBlocks(source);
  for (const block of Object.keys(source.blocks))
    if (!included.has(block))
      report(['blocks', block], 'unused-block', `block \`${block}\` is not included anywhere`, { at: 'key' });
  for (const row of Object.keys(source.rows))
    if (!replies.includes(`"row":${JSON.stringify(row)}`))
      report(['rows', row], 'unused-row', `row shape \`${row}\` is not used anywhere`, { at: 'key' });
  const read = new Set(Object.values(source.operations).flatMap(({ fields }) => Object.values(fields ?? {}).map(({ as }) => as)));
  for (const table of Object.keys(source.tables))
    if (!read.has(table)) report(['tables', table], 'unused-table', `no field is read by table \`${table}\``, { at: 'key' });
  for (const [name, operation] of Object.entries(source.operations)) {
    const told = JSON.stringify(everyReply(source).filter((one) => one.operation === name));
    for (const join of Object.keys(operation.join ?? {}))
      if (!new RegExp(`"\\$${join}\\b`).test(told))
        report(['operations', name, 'join', join], 'join-unused', `\`$${join}\` is not told anywhere`, { at: 'key' });
  }
}

function repliesOf(source: MappingSource): unknown[] {
  return [everyReply(source), source.rows, Object.values(source.callers.keys).map(({ lists }) => lists)];
}

/** `refusal` is included by the gateway itself, and `words` by every list. */
function includedBlocks(source: MappingSource): Set<string> {
  return new Set(['refusal', 'words', ...everyReply(source).flatMap(({ reply }) => reply.include ?? [])]);
}
