/**
 * Part of step 5: hold the network number against the prefix of the phone number. A script that was moved here without
 * editing its network table would sell AIRTEL for 9MOBILE, and most hard-code `ported`, so v1's own check is off.
 */
import { GatewayError } from '../../domain/errors';
import { textOf } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Field, Mapping, Operation, OtherNumbering } from '../../mapping/mapping';
import type { Intent } from './canonicalise';
import { readRaw } from './read-raw';
import type { Table } from '../../mapping/table';

/**
 * Refuses when the number means another network than the prefix says, and the prefix's network is exactly what another
 * known numbering means by that number. A truly ported number passes: no other numbering explains its mismatch. Where only
 * numberings explain it that sell unported numbers, and nothing says that it is ported, the intent that is given back buys
 * the prefix's network, with the number as sent: unless callers.yaml says whose numbers this key sends.
 */
export function guardNumbering(intent: Intent, request: LegacyRequest, mapping: Mapping, callerKey?: CallerKey): Intent {
  const { guard } = intent.operation;
  const table = guard?.number.table;
  if (guard === undefined || table === undefined) return intent;
  const { name } = guard.number;
  // The caller's own numbering was written for this very script: no other one is to be held against it.
  if (Object.hasOwn(intent.ownNumbers, name)) return intent;
  const raw = readRaw(request, guard.number)[0];
  const number = raw === undefined ? undefined : table.numberIn(raw.value);
  const phone = intent.values[guard.phone.name];
  // A network given by name leaves nothing to doubt.
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

/** What numberings other than the request's own make of its network number, and whether one of them may be sold by. */

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
function cureFor(number: number, network: string, table: Table, mapping: Mapping): string | undefined {
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
