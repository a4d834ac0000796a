/**
 * Breaks each rule of a mapping on purpose, one at a time and in memory: whoever has good cases notices every break.
 * Not broken is what no case can see: titles and texts for people, and waiting times, because cases never wait.
 */
import { editSource } from './edit-source';
import type { Mutant } from './mutant';
import { replyMutants } from './reply-mutants';
import { requestMutants } from './request-mutants';
import { tableMutants } from './table-mutants';
import type { MappingSource } from '../../mapping/source';

export function listMutants(source: MappingSource): Mutant[] {
  return [...requestMutants(source), ...tableMutants(source), ...replyMutants(source)];
}

export function applyMutant(source: MappingSource, { edits }: Mutant): MappingSource {
  return editSource(source, edits);
}

/** The same source with only these operations: quicker to compile, and all that some cases need. */
export function narrowSource(source: MappingSource, names: ReadonlySet<string>): MappingSource {
  const pick = <Item>(all: Readonly<Record<string, Item>>): Record<string, Item> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
  const formats = new Map(
    [...source.formats].map(([id, format]) => [
      id,
      format.operations === undefined ? format : { ...format, operations: pick(format.operations) },
    ]),
  );
  return { ...source, formats, operations: pick(source.operations) };
}
