/** What an operator hears of an open order without a reference; through a running gateway: `test/flows/orders-desk`. */
import { type Rechecked, recheckOrder } from '../../src/gateway/recheck';
import { receiptText } from '../../src/orders/order-story';
import { shippedMapping } from '../mapping/mapping-set';
import { openRoom, type RoomOptions, type Row } from './proof/history-room';
import { CREDENTIALS } from './scripted-upstream';

const SALE: Row = { reference: 'V1' };

async function recheck(rows: readonly Row[], options: RoomOptions = {}, isUnderWay = false): Promise<Rechecked> {
  const room = openRoom(rows, options);
  await room.lose('r-1');
  if (isUnderWay) room.running.add('r-1');
  const parts = { ...room, visitors: { refusalOf: () => undefined }, mapping: shippedMapping };
  return (await recheckOrder(CREDENTIALS, '192.0.2.7', 'r-1', parts as never))!;
}

test.each<[string, RoomOptions, boolean, string]>([
  ['shows no history', { isIll: () => true }, false, 'it did not show its history'],
  ['has another clock', { serverErrorMs: 3_600_000 }, false, 'its clock and that of this machine are too far apart'],
  ['has the purchase at this moment', {}, true, 'it has not answered the purchase, which is under way'],
  [
    'is not asked, because the journal fails',
    { wrapJournal: () => ({ listUnsettled: () => Promise.reject(new Error('it is closed')) }) },
    false,
    'the look at its history ended with an error, which the log has',
  ],
])('nothing is said of an open order without a reference where v1 %s', async (_how, options, isUnderWay, unanswered) => {
  const { before, after, ...said } = await recheck([SALE], options, isUnderWay);
  expect(said).toEqual({ unanswered });
  expect(after).toEqual(before);
});

test('where v1 shows its history without the order, that is said, and the order stays open', async () => {
  const rechecked = await recheck([]);
  expect([rechecked.missing, rechecked.after.outcome?.kind]).toEqual(['not_in_history', 'unknown']);
  expect(receiptText(rechecked)).toBe('no sale in its history was found to be this order so far');
});

test('where its history has the order, its receipt is shown', async () => {
  expect((await recheck([SALE])).receipt).toMatchObject({ kind: 'succeeded', reference: 'V1' });
});
