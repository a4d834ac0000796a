/** The rules of replies that hold for every operation, format and outcome: what no script must ever be told. */
import type { JsonObject, JsonValue } from '../../../src/domain/json';
import { callOf, playSample, replyToSample, isOrderEnding, orderAndAsk, type Told } from './play-sample';
import { differences } from './differences';
import { FAILURES, outcomesOf } from './outcomes';
import { lookups, mapping, operationOf, purchases, rows, sampleOf } from './samples';

const PENDING = ['pending', 'unknown'];

const MONEY = [
  ...['amount', 'paid_amount', 'charges', 'discount', 'discount_amount', 'oldbal', 'newbal', 'old_balance', 'new_balance'],
  ...['old_wallet', 'new_wallet', 'balance_before', 'balance_after', 'previous_balance', 'after_balance'],
];
const IDS = ['request-id', 'request_id', 'ref', 'id', 'ident', 'transid', 'reference', 'transaction_ref', 'customer_ref'];
const TEXTS = ['message', 'msg', 'api_response', 'response'];
const GOODS = [
  ...['name', 'Customer_Name', 'token', 'meter_token', 'purchased_code'],
  ...['pin', 'pins', 'serial', 'data_pin', 'data_pins'],
];

interface Reply {
  readonly where: string;
  readonly operation: string;
  readonly format: string;
  readonly outcome: string;
  readonly status: number;
  readonly body: JsonObject;
}

async function replies(
  of: readonly (readonly [string, string])[],
  isWanted: (outcome: string) => boolean,
): Promise<readonly Reply[]> {
  const wanted = of.flatMap(([operation, format]) =>
    outcomesOf(operation)
      .filter(isWanted)
      .map((outcome) => [operation, format, outcome] as const),
  );
  const told: Reply[] = [];
  for (const [operation, format, outcome] of wanted) {
    const { status, body } = await replyToSample(operation, format, outcome);
    const where = `${operation} in format ${format}, ${outcome}`;
    told.push({ where, operation, format, outcome, status, body: body as JsonObject });
  }
  return told;
}

/** A Topupmate server's only word for an order that is not finished. */
const pendingWord = (format: string): string => (format === 'c' ? 'processing' : 'pending');
/** A success of format C has no text for its scripts: one of them takes any for a failure. */
const isSilent = (format: string, outcome: string): boolean => format === 'c' && outcome.endsWith('success');
const isSuccess = (outcome: string): boolean => outcome === 'success';
const isPending = (outcome: string): boolean => PENDING.includes(outcome);
const isFailure = (outcome: string): boolean => (FAILURES as readonly string[]).includes(outcome);
const isAny = (): boolean => true;

/** Where a rule is broken. */
function breaches(all: readonly Reply[], breach: (reply: Reply) => string | undefined): string[] {
  expect(all.length).toBeGreaterThan(0);
  return all.flatMap((reply) => {
    const what = breach(reply);
    return what === undefined ? [] : [`${reply.where}: ${what}`];
  });
}

const first = (keys: readonly string[], test: (key: string) => boolean): string | undefined => keys.find(test);

test('a success says success / successful with HTTP 200, success: true and no error', async () => {
  const broken = breaches(await replies(purchases, isSuccess), ({ status, body }) => {
    const { status: word, Status, success } = body;
    const lines = differences(
      { status: 200, word: 'success', Status: 'successful', success: true },
      { status, word, Status, success },
    );
    return lines[0] ?? first(['error', 'response_description'], (key) => key in body);
  });
  expect(broken).toEqual([]);
});

test('a pending order says pending / processing with HTTP 200, and has neither error nor success', async () => {
  const broken = breaches(await replies(purchases, isPending), ({ status, body, format }) => {
    const { status: word, Status } = body;
    const lines = differences({ status: 200, word: pendingWord(format), Status: 'processing' }, { status, word, Status });
    return lines[0] ?? first(['error', 'success', 'detail', 'response_description'], (key) => key in body);
  });
  expect(broken).toEqual([]);
});

test('a failure says fail / failed with a 4xx, one text in error and response_description, success: false and a null id', async () => {
  const broken = breaches(await replies(purchases, isFailure), ({ status, body }) => {
    const { status: word, Status, success, id, error, message, response_description } = body;
    if (status < 400 || status > 499) return `HTTP ${status}`;
    return differences(
      { word: 'fail', Status: 'failed', success: false, id: null, error: [message], response_description: message },
      { word, Status, success, id, error, response_description },
    )[0];
  });
  expect(broken).toEqual([]);
});

test('a declined or unsent order answers 400, a rejected one with the status of v1', async () => {
  const wanted: Readonly<Record<string, number>> = { declined: 400, not_sent: 400, rejected: 400, wrong_key: 401 };
  const all = await replies(purchases, (outcome) => outcome in wanted);
  expect(breaches(all, ({ status, outcome }) => (status === wanted[outcome] ? undefined : `HTTP ${status}`))).toEqual([]);
});

test('neither a failure nor a pending order carries a name, a token or a PIN, not even a null one', async () => {
  const all = await replies(purchases, (outcome) => isFailure(outcome) || isPending(outcome));
  expect(breaches(all, ({ body }) => first(GOODS, (key) => key in body))).toEqual([]);
});

test('texts are texts on every reply, and error is a list of texts', async () => {
  const objects = rows.filter(([operation]) => operationOf(operation).kind !== 'list');
  const broken = breaches(await replies(objects, isAny), ({ body, format, outcome }) => {
    const { error } = body;
    if (error !== undefined && !(Array.isArray(error) && error.every((text) => typeof text === 'string'))) return 'error';
    const texts = isSilent(format, outcome) ? ['api_response', 'response'] : TEXTS;
    return first(texts, (key) => typeof body[key] !== 'string' || body[key] === '');
  });
  expect(broken).toEqual([]);
});

test('detail stands on a refused key and nowhere else', async () => {
  const all = await replies(rows, (outcome) => !isSuccess(outcome));
  expect(breaches(all, ({ status, body }) => ((status === 401) === 'detail' in body ? undefined : 'detail'))).toEqual([]);
});

test('PINs, serials and how to load them are comma-joined texts, as many as were bought', async () => {
  const cards = purchases.filter(([operation]) => /cards|exam/.test(operation));
  const broken = breaches(await replies(cards, isSuccess), ({ operation, body }) => {
    const count = Number(body['quantity']);
    const isCard = operation !== 'buy_exam';
    return (
      first(['pin', 'serial'], (key) => typeof body[key] !== 'string' || body[key].split(',').length !== count) ??
      (isCard ? first(['load_pin', 'check_balance'], (key) => typeof body[key] !== 'string') : undefined) ??
      (isCard ? first(['data_pin'], (key) => !Array.isArray(body[key]) || body[key].length !== count) : undefined)
    );
  });
  expect(broken).toEqual([]);
});

test('format B reads exam PINs as PIN<=>SERIAL in data_pin.pin, pins, pin and token alike', async () => {
  const { body } = await playSample('buy_exam', 'b', 'success');
  const { data_pin: data, pins, pin, token } = body as JsonObject;
  const wanted = '012345678901<=>WRN0001,998877665544<=>WRN0002';
  expect([(data as JsonObject)['pin'], pins, pin, token]).toEqual([wanted, wanted, wanted, wanted]);
});

test('the token of a meter stands under every name that scripts read it by', async () => {
  for (const format of mapping.formats.keys()) {
    const { body } = await playSample('buy_electricity', format, 'success');
    const { token, meter_token: meterToken, purchased_code: code, pin } = body as JsonObject;
    expect(new Set([token, meterToken, code, pin])).toEqual(new Set(['0123-4567-8901-2345-6789']));
  }
});

test('invalid is a real boolean on every reply to a verify call, refusals included, and only a success has a name', async () => {
  const broken = breaches(await replies(lookups, isAny), ({ outcome, body }) => {
    if (body['invalid'] !== !isSuccess(outcome)) return `invalid is ${JSON.stringify(body['invalid'])}`;
    const names = ['name', 'Customer_Name', 'customer_name'];
    return first(names, (key) => (isSuccess(outcome) ? typeof body[key] !== 'string' : key in body));
  });
  expect(broken).toEqual([]);
});

test('money is a number or null, never a text with commas', async () => {
  const isMoney = (value: JsonValue | undefined): boolean => value === null || typeof value === 'number';
  const broken = breaches(await replies(purchases, isAny), ({ body }) => {
    const price = JSON.stringify(body['plan_amount'] ?? 0);
    return first(MONEY, (key) => !isMoney(body[key])) ?? (/^"?[\d.]+"?$/.test(price) ? undefined : 'plan_amount');
  });
  expect(broken).toEqual([]);
});

test('every key of money and of identity stands on every reply to a purchase, and failures know no money that moved', async () => {
  const all = await replies(purchases, isAny);
  expect(breaches(all, ({ body }) => first([...MONEY, ...IDS], (key) => !(key in body)))).toEqual([]);
  const moved = MONEY.filter((key) => key !== 'amount');
  const failed = await replies(purchases, isFailure);
  expect(breaches(failed, ({ body }) => first(moved, (key) => body[key] !== null))).toEqual([]);
});

test('every key of a success that is no delivery stands on every other reply to that purchase too', async () => {
  const delivered = [...GOODS, 'success', 'available', 'load_pin', 'check_balance'];
  for (const [operation, format] of purchases) {
    const { body } = await playSample(operation, format, 'success');
    const keys = Object.keys(body).filter((key) => !delivered.includes(key));
    const others = await replies([[operation, format]], (outcome) => !isSuccess(outcome));
    expect(breaches(others, (reply) => first(keys, (key) => !(key in reply.body)))).toEqual([]);
  }
});

test('a purchase shows the same keys while v1 gives no price list', async () => {
  for (const [operation, format] of purchases) {
    const [known, unknown] = await Promise.all([
      playSample(operation, format, 'success'),
      playSample(operation, format, 'success', { withoutCatalog: true }),
    ]);
    expect(Object.keys(unknown.body)).toEqual(Object.keys(known.body));
  }
});

test('every spelling of the request id is echoed exactly as it was sent, on every outcome', async () => {
  const sent = mapping.requestIdSpellings;
  const broken = breaches(await replies(purchases, isAny), ({ operation, format, body }) => {
    const { fields } = sampleOf(operation, format);
    return first(sent, (spelling) => spelling in fields && body[spelling] !== fields[spelling]);
  });
  expect(broken).toEqual([]);
});

test('a request id of any spelling and of either type is echoed as it came', async () => {
  for (const spelling of mapping.requestIdSpellings) {
    for (const id of ['AIRTIMEPIN|7f1c_65e1-a7', 48291037465]) {
      const { body } = await playSample('buy_exam', 'b', 'success', { fields: { [spelling]: id } });
      const { [spelling]: echoed, 'request-id': dashed, request_id: underscored } = body as JsonObject;
      expect([echoed, dashed, underscored]).toEqual([id, id, id]);
    }
  }
});

test('no reply holds the key or the PIN of the account', async () => {
  const all = await replies(rows, isAny);
  // A login that sent its PIN in the body reads it back from `user.pin`; that is the one place.
  const withoutOwnPin = ({ operation, body }: Reply): JsonObject =>
    operation === 'login_by_fields' && 'user' in body ? { ...body, user: { ...(body['user'] as JsonObject), pin: null } } : body;
  const broken = breaches(all, (reply) =>
    /sandbox_demo|"1234"/.test(JSON.stringify(withoutOwnPin(reply))) ? 'a secret' : undefined,
  );
  expect(broken).toEqual([]);
});

test('a numeric code, which one family takes for success, stands on no reply', async () => {
  expect(breaches(await replies(purchases, isAny), ({ body }) => first(['code'], (key) => key in body))).toEqual([]);
});

test('plain PHP hears of a pending order when forty seconds are nearly over, a caller with a name of its own after twenty', async () => {
  for (const [operation, format] of purchases) {
    for (const outcome of PENDING) {
      const php = await playSample(operation, format, outcome);
      const named = await playSample(operation, format, outcome, { userAgent: 'GuzzleHttp/7' });
      // Of an unknown order v1 is asked a last time a second before the end.
      const earlierMs = [40_000 - php.heldMs, 20_000 - named.heldMs];
      for (const ms of earlierMs) expect(ms >= 0 && ms <= (outcome === 'pending' ? 0 : 1_000)).toBe(true);
      expect(named.body).toEqual(php.body);
    }
  }
});

test('an order that v1 finishes within the patience is never told as pending', async () => {
  const receipt = { http: 200, body: { status: 'success', data: { reference: 'V1-AIR-7001', status: 'success', pins: [] } } };
  const late = await playSample('buy_airtime', 'a', 'pending', { later: { afterMs: 30_000, receipt } });
  expect(late.body).toMatchObject({ status: 'success', Status: 'successful' });
  expect(late.heldMs).toBeGreaterThanOrEqual(30_000);
  expect(late.heldMs).toBeLessThan(40_000);
});

test('a family without a limit that refunds what is pending is held past the second look of v1, after two minutes', async () => {
  const receipt = { http: 200, body: { status: 'success', data: { reference: 'V1-CAB-7003', status: 'success', pins: [] } } };
  const later = { afterMs: 125_000, receipt };
  const [held, everybody] = [
    await playSample('buy_cable', 'b', 'pending', { later, family: 'topupmate-b' }),
    await playSample('buy_cable', 'b', 'pending', { later }),
  ];
  expect(held.body).toMatchObject({ status: 'success', Status: 'successful' });
  expect(held.heldMs).toBeGreaterThanOrEqual(125_000);
  expect(held.heldMs).toBeLessThan(150_000);
  expect([everybody.body, everybody.heldMs]).toMatchObject([{ status: 'pending', Status: 'processing' }, 40_000]);
});

test('the order status tells what the purchase told, with HTTP 200 whatever it was', async () => {
  for (const [operation, format] of purchases) {
    for (const outcome of outcomesOf(operation).filter(isOrderEnding)) {
      const isDelivery = outcome === 'success' && /cards|exam|electricity/.test(operation);
      // Goods are never kept: they come from v1's receipt, which this script of v1 does not have.
      if (isDelivery) continue;
      const [bought, asked] = await orderAndAsk(operation, format, outcome);
      expect({ operation, format, outcome, told: asked.body }).toEqual({ operation, format, outcome, told: bought.body });
      // The order of the fields as well.
      expect(JSON.stringify(asked.body)).toBe(JSON.stringify(bought.body));
      // v1 was asked when the order was placed.
      expect([asked.status, callOf('order_status', asked)]).toEqual([200, undefined]);
    }
  }
});

test('a success whose goods cannot be shown right now is told as pending, never with an empty PIN', async () => {
  for (const operation of ['buy_exam', 'buy_electricity', 'buy_recharge_cards', 'buy_data_cards']) {
    for (const format of mapping.formats.keys()) {
      const [, asked]: readonly [Told, Told] = await orderAndAsk(operation, format, 'success');
      expect(asked.body).toMatchObject({ status: pendingWord(format), Status: 'processing' });
      expect(GOODS.filter((key) => key in asked.body)).toEqual([]);
    }
  }
});
