import { kobo } from '../../src/domain/amount';
import { Secret } from '../../src/domain/credentials';
import { TOLD_PENDING, type Order } from '../../src/domain/order';
import { createKeyring } from '../../src/gateway/read/keyring';
import { keysOfOrder } from '../../src/orders/note';
import { createMemoryNotesStore } from '../../src/orders/notes-store';
import { storyOf, type StoryParts } from '../../src/orders/order-story';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';

const mapping = shippedMapping();
const keyring = createKeyring(new Secret('s'.repeat(32)));
const notes = createMemoryNotesStore();
const parts: StoryParts = { notes, keyring, mapping, setOf: () => undefined };

const trail = { mapping: mapping.hash, reason: 'field mobile_number', spellings: { phone: 'mobile_number' } };
const sold: Order = {
  ...newOrder({ trail }),
  ...{ number: 7, attempts: 1, settledAtMs: OPENED_AT_MS + 900 },
  outcome: {
    ...{ kind: 'succeeded', reference: 'V1-9' },
    delivery: { charged: kobo(9_800), balanceBefore: kobo(50_000), balanceAfter: kobo(40_200) },
  },
};

test('the story of an ordinary sale is complete without notes and has its numbers masked', () => {
  const story = storyOf(sold, parts);
  expect(story.isAsItWas).toBe(true);
  expect(story.fields).toEqual([
    { name: 'phone', value: '0803•••0001', from: 'mobile_number' },
    { name: 'network', value: 'MTN' },
    { name: 'amount', value: '100.00 naira' },
  ]);
  expect(story.call).toEqual({
    line: 'POST /airtime',
    body: expect.objectContaining({ phone: '0803•••0001', request_id: 'r1' }) as object,
  });
  expect(story.events.map(({ what }) => what)).toEqual(['opened', 'settled', 'told']);
  expect(story).toMatchObject({ outcome: 'succeeded', reference: 'V1-9', balance: { before: 50_000, after: 40_200 } });
  expect(JSON.stringify({ ...story, order: undefined, mapping: undefined })).not.toContain('08030000001');
});

test('noted exchanges and a noted reply appear in the story at their times', async () => {
  const { owner } = sold;
  const [byNumber, bySent, byReference] = keysOfOrder({ owner, number: 7, requestId: 'r1', reference: 'V1-9' }, keyring);
  const sent = { requestId: 'r1', call: 'POST /airtime', answer: 'unknown', message: 'reset' };
  const asked = { reference: 'V1-9', call: 'GET /receipt', answer: 'found' };
  const told = { number: 7, outcome: 'pending', http: 200, told: 'please wait', heldMs: 1_200 };
  await notes.write([
    { keys: [bySent!], note: { kind: 'exchange', atMs: OPENED_AT_MS + 5, tookMs: 700, owner, ...sent } },
    { keys: [byReference!], note: { kind: 'exchange', atMs: OPENED_AT_MS + 800, tookMs: 20, owner, ...asked } },
    { keys: [byNumber!], note: { kind: 'told', atMs: OPENED_AT_MS + 950, owner, ...told } },
  ]);
  const { events } = storyOf(sold, parts);
  expect(events.map(({ what, tookMs, text }) => [what, tookMs, text.slice(0, 42)])).toEqual([
    ['opened', undefined, 'The request came, and the order was writte'],
    ['asked', 700, 'POST /airtime: unknown (reset)'],
    ['asked', 20, 'GET /receipt: found'],
    ['settled', undefined, 'succeeded: v1 confirmed it'],
    ['told', undefined, 'The script was told pending (HTTP 200, hel'],
  ]);
});

test('a failure told for an earlier attempt is listed before the sale, which ends with a success told to the script', async () => {
  const again: Order = { ...sold, requestId: 'again', number: 8, attempts: 2 };
  const [byNumber] = keysOfOrder({ ...again, reference: undefined }, keyring);
  const refusal = { outcome: 'rejected', http: 400, told: 'Low balance' };
  const noted = createMemoryNotesStore();
  await noted.write([
    { keys: [byNumber!], note: { kind: 'told', atMs: OPENED_AT_MS - 60_000, owner: sold.owner, number: 8, ...refusal } },
  ]);
  expect(
    storyOf(again, { ...parts, notes: noted }).events.map(({ what, text }) => [what, text.match(/^[\w :]+\w/)?.[0]]),
  ).toEqual([
    ['told', 'The script was told a failure'],
    ['opened', 'The request came again: attempt 2 was written down'],
    ['settled', 'succeeded: v1 confirmed it'],
    ['told', 'The script was told a success'],
  ]);
});

test('the story says that the script has heard only pending, and that it refunded an order that v1 sold', () => {
  const pending: Order = {
    ...sold,
    toldAtMs: TOLD_PENDING,
    trail: { ...trail, family: { id: 'semmatweb-bwsub', reason: 'key' } },
  };
  expect(storyOf(pending, parts)).toMatchObject({
    untold: 'The script has heard "pending" and not how it ended.',
    contrary: 'sold by v1, refunded by the script',
  });
});

test('the story uses the mapping of the time of the order, or else the one in use, and says which', () => {
  const old = { ...sold, trail: { ...trail, mapping: 'f'.repeat(16) } };
  expect(storyOf(old, parts).isAsItWas).toBe(false);
  const kept = { ...mapping, hash: 'f'.repeat(16) };
  const story = storyOf(old, { ...parts, setOf: (hash) => (hash === kept.hash ? kept : undefined) });
  expect([story.isAsItWas, story.mapping.hash]).toEqual([true, kept.hash]);
});
