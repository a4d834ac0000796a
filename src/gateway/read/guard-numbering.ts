/**
 * Part of step 5: hold the network number against the prefix of the phone number. A script that was moved here without
 * editing its network table would sell AIRTEL for 9MOBILE, and most hard-code `ported`, so v1's own check is off.
 */
import { GatewayError } from '../../domain/errors';
import { textOf } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Mapping } from '../../mapping/mapping';
import type { Intent } from './canonicalise';
import { cureFor, explainNumber, sellingNumbering } from './other-numbering';
import { readRaw } from './read-raw';

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
