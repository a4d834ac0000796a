/**
 * Part of step 5: hold the network number against the prefix of the phone number. A script that was moved here without
 * editing its network table would sell AIRTEL for 9MOBILE, and most hard-code `ported`, so v1's own check is off.
 */
import { GatewayError } from '../domain/errors';
import { textOf } from '../domain/json';
import type { LegacyRequest } from '../domain/legacy';
import type { Mapping } from '../mapping/mapping';
import type { Intent } from './canonicalise';
import { readRaw } from './read-raw';

/**
 * Refuses when the number means another network than the prefix says, and the prefix's network is exactly what another
 * known numbering means by that number. A truly ported number passes: no other numbering explains its mismatch.
 */
export function guardNumbering(intent: Intent, request: LegacyRequest, mapping: Mapping): void {
  const { guard } = intent.operation;
  const table = guard?.number.table;
  if (guard === undefined || table === undefined) return;
  // The caller's own numbering was written for this very script: no other one is to be held against it.
  if (Object.hasOwn(intent.ownNumbers, guard.number.name)) return;
  const raw = readRaw(request, guard.number)[0];
  const number = raw === undefined ? undefined : table.numberIn(raw.value);
  const phone = intent.values[guard.phone.name];
  // A network given by name leaves nothing to doubt.
  if (raw === undefined || number === undefined || typeof phone !== 'string') return;
  const meant = intent.values[guard.number.name];
  const network = table.valueOfPhone(phone);
  if (network === undefined || network === meant) return;
  const others = [
    ...[...mapping.formats.values()]
      .filter(({ id }) => id !== intent.format && intent.operation.sharedBy.has(id))
      .map((format) => ({ title: `format ${format.id.toUpperCase()}`, numbering: mapping.numberingOf(format.id, table) })),
    ...mapping.otherNumberings,
  ];
  const explanation = others.find(({ numbering }) => numbering.get(number) === network);
  if (explanation === undefined) return;
  throw new GatewayError(
    'network_number_doubtful',
    `${raw.spelling} ${number} means ${textOf(meant)} here, but the phone number belongs to ${network}, and ${number} is ${network} in ${explanation.title}. ` +
      `Nothing was charged. Correct the network table of your script, send the network's name instead of the number, or have the check switched off for your key if the number was ported.`,
    { field: raw.spelling },
  );
}
