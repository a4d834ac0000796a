import { MOODS, type Mood, type MoodName } from '../../../src/sandbox/order/mood';
import { sandboxOfFile } from '../../conformance/target';

/** One purchase of each service, with its price. */
const PURCHASES: readonly (readonly [path: string, body: Record<string, unknown>, naira: number])[] = [
  ['/data', { plan_id: 101, phone: '08031234567' }, 290],
  ['/airtime', { network: 'MTN', phone: '08031234567', amount: 100 }, 98],
  ['/cabletv', { plan_id: 11, smartcard: '7012345678' }, 1_900],
  ['/electricity', { disco_id: 4, meter_number: '45012345678', meter_type: 'prepaid', amount: 1_000 }, 1_050],
  ['/exam_pin', { exam_name: 'NABTEB', quantity: 2 }, 1_841],
  ['/recharge-card', { network_id: 4, denomination: 100, quantity: 3 }, 289.5],
  ['/data-card', { plan_id: 107, quantity: 2 }, 148.5],
  ['/bulk_sms', { sender_id: 'ACME', message: 'Hello', recipients: '08031234567,08051234567' }, 8],
];

const names = Object.keys(MOODS) as MoodName[];
const cases = PURCHASES.flatMap(([path, body, naira]) => names.map((name) => ({ path, name, body, naira })));
const START = 1_000_000;

const v1 = sandboxOfFile();

/** The order of this mood after all its changes. */
function endOf(mood: Mood): 'success' | 'pending' | 'error' {
  const { course } = mood;
  // A mood without a course charges nothing, so the repeat buys.
  const last = course === undefined ? 'success' : (course.later?.result ?? course.first);
  return last === 'failed' ? 'error' : last;
}

test.each(cases)(
  '$path in the mood $name and its repeat charge together what the outcome of the order says',
  async ({ path, name, body, naira }) => {
    const mood: Mood = MOODS[name];
    v1.sandbox.admin.resetWallet('sandbox_demo');
    const sale = { ...body, pin: '1234', request_id: `mood.${name}.${path}` };

    const first = v1.post(path, sale).catch(() => undefined);
    while (name === 'slow' && (await v1.balance()) === START) await new Promise((resolve) => setImmediate(resolve));
    if (name !== 'slow') await first;
    const charged = mood.course === undefined || mood.course.first === 'failed' ? START : START - naira;
    expect(await v1.balance()).toBeCloseTo(charged, 6);

    v1.clock.advance(60_000);
    await first;
    const again = (await v1.post(path, sale)).body;
    expect(again.status).toBe(endOf(mood));
    expect(again.duplicate).toBe(mood.course === undefined ? undefined : true);
    expect(await v1.balance()).toBeCloseTo(endOf(mood) === 'error' ? START : START - naira, 6);
    v1.clock.advance(60 * 60_000);
  },
);
