import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import { checkFields, endpointOf, integerOf, type Fields } from '../field/check-fields';
import { customerNumberOf, meterTypeOf } from '../field/rules';
import { Refusal } from '../refusal';
import type { World } from '../world';

// So that a caller can see a lookup fail: the specification names no such number, docs/sandbox.md does.
const NOBODYS = /9999$/;

const validateCableEndpoint = endpointOf('POST', '/validate-cable');
const validateMeterEndpoint = endpointOf('POST', '/validate-meter');

/** POST /validate-cable (free). */
export function validateCable(world: World, caller: Caller, body: Fields): Answer {
  world.limits.take(caller.account.id, ['lookup']);
  checkFields(validateCableEndpoint, body);
  if (!world.catalog.hasCableId(body['cable_id'])) {
    throw new Refusal('invalid_field', 'cable_id', 'is not a provider id of the catalog');
  }
  const smartcard = customerNumberOf(body, 'smartcard');
  if (NOBODYS.test(smartcard)) throw new Refusal('lookup_not_found', 'smartcard number');
  const name = world.mint.customerName(smartcard);
  return {
    status: 200,
    body: { status: 'success', success: true, message: 'Smartcard verified.', data: { name, customer_name: name, smartcard } },
  };
}

/** POST /validate-meter (free). */
export function validateMeter(world: World, caller: Caller, body: Fields): Answer {
  world.limits.take(caller.account.id, ['lookup']);
  checkFields(validateMeterEndpoint, body);
  if (world.catalog.disco(integerOf(body, 'disco_id')) === undefined) {
    throw new Refusal('invalid_field', 'disco_id', 'is not a company of the catalog');
  }
  const meter = customerNumberOf(body, 'meter_number');
  meterTypeOf(body);
  if (NOBODYS.test(meter)) throw new Refusal('lookup_not_found', 'meter number');
  return {
    status: 200,
    body: { status: 'success', data: { name: world.mint.customerName(meter), address: world.mint.address(meter) } },
  };
}
