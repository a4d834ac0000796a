/** v1 already has an order under the script's request id that this gateway did not make: from another machine, or another sale. */
import { openFaultHouse, type FaultHouse } from './fault-house';
import { askStatus, buy, buyAtV1, PURCHASES } from './purchase';
import { openV1OfMany, type V1OfMany } from './v1-of-many';

let v1: V1OfMany;
let house: FaultHouse;
beforeAll(async () => {
  v1 = await openV1OfMany(PURCHASES.length);
  house = await openFaultHouse(v1.url, 'impatient');
});
afterAll(async () => {
  await house.close();
  await v1.close();
});

/** An order that none of the purchases asks for. */
const FOREIGN: Readonly<Record<string, { readonly path: string; readonly body: object }>> = {
  airtime: { path: '/airtime', body: { network: 'GLO', phone: '08057654321', amount: 700 } },
  data: { path: '/data', body: { plan_id: 203, phone: '08057654321' } },
  cable: { path: '/cabletv', body: { plan_id: 22, smartcard: '4631288107' } },
  electricity: { path: '/electricity', body: { disco_id: 4, meter_number: '04222334455', meter_type: 'prepaid', amount: 9_000 } },
  exam: { path: '/exam_pin', body: { exam_name: 'NECO', quantity: 1 } },
  'recharge cards': { path: '/recharge-card', body: { network_id: 4, denomination: 1_000, quantity: 1 } },
  'data cards': { path: '/data-card', body: { plan_id: 203, quantity: 3 } },
  SMS: { path: '/bulk_sms', body: { sender_id: 'OTHER', message: 'Something else', recipients: ['08057654321'] } },
};

async function orderPastTheGateway(key: string, operation: string, requestId: string): Promise<void> {
  const { path, body } = FOREIGN[operation]!;
  const response = await buyAtV1(v1.url, key, { ...body, request_id: requestId }, path);
  expect(response.status).toBe(200);
}

test('another order of the same service under the same request id is not told as this one', async () => {
  const told = await Promise.all(
    PURCHASES.map(async (purchase, cell) => {
      const { operation, format } = purchase;
      const key = v1.keyOf(cell);
      const requestId = `REF-${cell}`;
      await orderPastTheGateway(key, operation, requestId);
      const first = await buy(house.url, key, purchase, requestId);
      const again = await buy(house.url, key, purchase, requestId);
      const status = await askStatus(house.url, key, requestId);
      return {
        which: `${operation} ${format}`,
        words: [first.word, again.word, status.word],
        charged: (await v1.ledger(cell)).charged,
      };
    }),
  );
  for (const { which, words, charged } of told) {
    expect({ which, isLie: words.some((word) => word === 'success' || word === 'nonsense'), charged }).toEqual({
      which,
      isLie: false,
      charged: 1,
    });
  }
}, 60_000);
