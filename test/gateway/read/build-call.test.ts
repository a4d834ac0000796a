import { buildCall } from '../../../src/gateway/read/build-call';
import { shippedMapping } from '../../mapping/mapping-set';
import { intentOf } from '../pure-steps';
import type { LegacyRequestParts } from '../legacy-request';

const callOf = (parts: LegacyRequestParts, format: string): ReturnType<typeof buildCall> => {
  const { operation, values } = intentOf(parts, format);
  return buildCall(operation.call!, values);
};

test.each<[string, LegacyRequestParts, string, unknown]>([
  [
    'airtime',
    { path: '/api/topup/', body: { network: '2', phone: '8021234567', amount: '1,000.50', bypass: 'true', pin: '0000' } },
    'a',
    { method: 'POST', path: '/airtime', body: { network: 'AIRTEL', phone: '08021234567', amount: 1000.5, ported: true } },
  ],
  [
    'data',
    { path: '/api/data', body: { plan: '7', mobile_number: '08021234567', network: 3 } },
    'b',
    { method: 'POST', path: '/data', body: { plan_id: 7, phone: '08021234567', ported: false } },
  ],
  [
    'cable without a phone',
    { path: '/api/cablesub/', body: { cablename: '1', cableplan: '2', smart_card_number: '00123' } },
    'b',
    { method: 'POST', path: '/cabletv', body: { plan_id: 2, smartcard: '00123' } },
  ],
  [
    'electricity',
    { path: '/api/bill/', body: { disco: '3', meter_number: '0045', meter_type: 'Prepaid', amount: 500, phone: '0803' } },
    'a',
    { method: 'POST', path: '/electricity', body: { disco_id: 3, meter_number: '0045', meter_type: 'prepaid', amount: 500 } },
  ],
  [
    'exam PINs',
    { path: '/api/exam', body: { exam: '1' } },
    'a',
    { method: 'POST', path: '/exam_pin', body: { exam_name: 'WAEC', quantity: 1 } },
  ],
  [
    'recharge cards with a long name',
    { path: '/api/recharge_card/', body: { network: '3', plan_type: '100', quantity: '2', card_name: 'x'.repeat(60) } },
    'a',
    {
      method: 'POST',
      path: '/recharge-card',
      body: { network_id: 2, denomination: 100, quantity: 2, name_on_card: 'x'.repeat(30) },
    },
  ],
  [
    'bulk SMS',
    { path: '/api/sendsms/', body: { sender: 'ME', recetipient: '08031234567, 2348061234567', message: ' hi ' } },
    'b',
    { method: 'POST', path: '/bulk_sms', body: { sender_id: 'ME', message: 'hi', recipients: ['08031234567', '08061234567'] } },
  ],
  [
    'a verify',
    { method: 'GET', path: '/api/validateiuc', query: { smart_card_number: '012', cablename: 'STARTIME' } },
    'b',
    { method: 'POST', path: '/validate-cable', body: { cable_id: 3, smartcard: '012' } },
  ],
])('%s becomes the v1 call, of checked values alone', (_title, parts, format, call) => {
  expect(callOf(parts, format)).toEqual(call);
});

test('a read carries its values as a query of texts', () => {
  const { call } = shippedMapping().operations.get('order_status')!;
  expect(buildCall(call!, {}, { order: { reference: 'R 1&x=2' } })).toEqual({
    method: 'GET',
    path: '/receipt',
    query: { reference: 'R 1&x=2' },
  });
});
