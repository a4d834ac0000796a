/** What is written and has no effect. Told only of a set without errors: beside a misspelt name it would be noise. */
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
    const told = JSON.stringify([
      operation.reply,
      [...source.formats.values()].map((format) => format.operations?.[name]?.reply),
    ]);
    for (const join of Object.keys(operation.join ?? {}))
      if (!new RegExp(`"\\$${join}\\b`).test(told))
        report(['operations', name, 'join', join], 'join-unused', `\`$${join}\` is not told anywhere`, { at: 'key' });
  }
}

function repliesOf(source: MappingSource): unknown[] {
  return [
    Object.values(source.operations).map(({ reply }) => reply),
    [...source.formats.values()].map((format) => format.operations),
    source.blocks,
    source.rows,
    Object.values(source.callers.keys).map(({ lists }) => lists),
  ];
}

/** `refusal` is included by the gateway itself, and `words` by every list. */
function includedBlocks(source: MappingSource): Set<string> {
  const includes = [
    ...Object.values(source.operations).map(({ reply }) => reply?.include),
    ...[...source.formats.values()].flatMap((format) =>
      Object.values(format.operations ?? {}).map(({ reply }) => reply?.include),
    ),
    ...Object.values(source.blocks).map(({ include }) => include),
  ];
  return new Set(['refusal', 'words', ...includes.flatMap((include) => include ?? [])]);
}
