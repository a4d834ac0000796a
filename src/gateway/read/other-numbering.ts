/** What numberings other than the request's own make of its network number, and whether one of them may be sold by. */
import type { LegacyRequest } from '../../domain/legacy';
import type { Field, Mapping, Operation, OtherNumbering } from '../../mapping/mapping';
import type { Table } from '../../mapping/table';
import { readRaw } from './read-raw';

/** The numberings in which the number is this network: first those of formats whose scripts come to the same addresses. */
export function explainNumber(
  number: number,
  network: string,
  { operation, table, mapping, except }: { operation: Operation; table: Table; mapping: Mapping; except?: string },
): OtherNumbering[] {
  const formats = [...mapping.formats.values()]
    .filter(({ id, explainsNumbers }) => id !== except && explainsNumbers && operation.sharedBy.has(id))
    .map(({ id }) => ({
      title: `format ${id.toUpperCase()}`,
      numbering: mapping.numberingOf(id, table),
      sellsUnported: false,
      path: ['formats', id, 'numbers', table.name],
    }));
  return [...formats, ...mapping.otherNumberings].filter(({ numbering }) => numbering.get(number) === network);
}

/** What the owner of a script can do whose format makes sense of the number, in the words of that format; else nothing. */
export function cureFor(number: number, network: string, table: Table, mapping: Mapping): string | undefined {
  return [...mapping.formats.values()].find(
    ({ id, cure }) => cure !== undefined && mapping.numberingOf(id, table).get(number) === network,
  )?.cure;
}

/**
 * The numbering that the number is sold by. A number that is not ported belongs to the network of its prefix, so the
 * number can only have meant that one; but where a format explains it as well, the request may be read in the wrong format.
 */
export function sellingNumbering(
  explanations: readonly OtherNumbering[],
  request: LegacyRequest,
  { number, ported }: NonNullable<Operation['guard']>,
): OtherNumbering | undefined {
  const isSold = explanations.every(({ sellsUnported }) => sellsUnported) && isUnported(request, ported);
  // A name beside the number contradicts it, whatever the format makes of the number.
  return isSold && readRaw(request, number).every(({ value }) => number.table?.numberIn(value) !== undefined)
    ? explanations[0]
    : undefined;
}

/** Nobody has said that the number is ported, and there is a field to say it by. What cannot be read says nothing. */
function isUnported(request: LegacyRequest, ported: Field | undefined): boolean {
  if (ported === undefined) return false;
  const said = readRaw(request, ported).map(({ value }) => ported.read(value));
  return said.length === 0 ? ported.fallback !== true : said.every((read) => 'value' in read && read.value === false);
}
