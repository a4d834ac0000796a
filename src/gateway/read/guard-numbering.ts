/**
 * Part of step 5: compares the network number with the prefix of the phone number. A script that was moved here with its old
 * network table would buy AIRTEL for 9MOBILE. v1 does not notice, because most scripts always send `ported`, which turns its check off.
 */
import { GatewayError } from '../../domain/errors';
import { textOf } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Field, Mapping, Operation, OtherNumbering } from '../../mapping/mapping';
import type { Intent } from './canonicalise';
import { readRaw } from './read-raw';
import type { Table } from '../../mapping/table';

/**
 * Refuses a network number that disagrees with the phone's prefix, if another known numbering gives this number the prefix's
 * network. A truly ported phone number passes, because no other numbering explains its mismatch.
 *
 * If all explaining numberings have `sellsUnported` and the request does not say that the number is ported, nothing is refused: the
 * returned intent buys the prefix's network. This does not apply to keys for which callers.yaml has a format or own numbers.
 */
export function guardNumbering(intent: Intent, request: LegacyRequest, mapping: Mapping, callerKey?: CallerKey): Intent {
  const { guard } = intent.operation;
  const table = guard?.number.table;
  if (guard === undefined || table === undefined) return intent;
  const { name } = guard.number;
  // The caller's own numbers in callers.yaml were written for this script, so no other numbering may question them.
  if (Object.hasOwn(intent.ownNumbers, name)) return intent;
  const raw = readRaw(request, guard.number)[0];
  const number = raw === undefined ? undefined : table.numberIn(raw.value);
  const phone = intent.values[guard.phone.name];
  // A network given by name is unambiguous.
  if (raw === undefined || number === undefined || typeof phone !== 'string') return intent;
  const network = table.valueOfPhone(phone);
  if (network === undefined || network === intent.values[name]) return intent;
  const explanations = explainNumber(number, network, { operation: intent.operation, table, mapping, except: intent.format });
  const [explanation] = explanations;
  if (explanation === undefined) return intent;
  const isVouchedFor = callerKey?.format !== undefined || callerKey?.numbers.has(table.name) === true;
  const numberedBy = isVouchedFor ? undefined : sellingNumbering(explanations, request, guard);
  if (numberedBy !== undefined)
    return {
      ...intent,
      values: { ...intent.values, [name]: network },
      ownNumbers: { ...intent.ownNumbers, [name]: number },
      numberedBy: { ...numberedBy, field: name },
    };
  const cure = cureFor(number, network, table, mapping);
  throw new GatewayError(
    'network_number_doubtful',
    `${raw.spelling} ${number} means ${textOf(intent.values[name])} here, but the phone number belongs to ${network}, and ${number} is ${network} in ${explanation.title}. ` +
      `Nothing was charged. Correct the network table of your script, send the network's name instead of the number, or have the check switched off for your key if the number was ported.${cure === undefined ? '' : ` ${cure}`}`,
    { field: raw.spelling },
  );
}

/** The numberings in which the number means this network. Those of formats that share the operation's addresses come first. */
export function explainNumber(
  number: number,
  network: string,
  { operation, table, mapping, except }: { operation: Operation; table: Table; mapping: Mapping; except?: string },
): OtherNumbering[] {
  const formats = [...mapping.formats.values()]
    .filter(({ id, explainsNumbers }) => id !== except && explainsNumbers && operation.sharedBy.has(id))
    .map(({ id }) => ({
      title: `format ${id.toUpperCase()}`,
      table: table.name,
      numbering: mapping.numberingOf(id, table),
      sellsUnported: false,
      path: ['formats', id, 'numbers', table.name],
    }));
  return [...formats, ...mapping.otherNumberings].filter(
    ({ table: numbered, numbering }) => numbered === table.name && numbering.get(number) === network,
  );
}

/** The advice (`cure`) of a format in which the number means this network, for the owner of the script. */
function cureFor(number: number, network: string, table: Table, mapping: Mapping): string | undefined {
  return [...mapping.formats.values()].find(
    ({ id, cure }) => cure !== undefined && mapping.numberingOf(id, table).get(number) === network,
  )?.cure;
}

/**
 * The numbering by which the network number is read; undefined where the purchase must be refused. A phone number that is not ported
 * belongs to the network of its prefix, so the script can only have meant that network. If a format explains the number as well, the
 * request may have been read in the wrong format, and nothing is sold.
 */
export function sellingNumbering(
  explanations: readonly OtherNumbering[],
  request: LegacyRequest,
  { number, ported }: NonNullable<Operation['guard']>,
): OtherNumbering | undefined {
  const isSold = explanations.every(({ sellsUnported }) => sellsUnported) && isUnported(request, ported);
  // A network name beside the number contradicts the number in every format.
  return isSold && readRaw(request, number).every(({ value }) => number.table?.numberIn(value) !== undefined)
    ? explanations[0]
    : undefined;
}

/** True when the operation has a field for "ported" and the request does not set it. A value that cannot be read proves nothing: false. */
function isUnported(request: LegacyRequest, ported: Field | undefined): boolean {
  if (ported === undefined) return false;
  const said = readRaw(request, ported).map(({ value }) => ported.read(value));
  return said.length === 0 ? ported.fallback !== true : said.every((read) => 'value' in read && read.value === false);
}
