import { Secret } from '../../src/domain/credentials';
import {
  createLog,
  errorFields,
  LOG_FIELDS,
  type LogFields,
  type LogLevel,
  namedLog,
  loggedJournal,
} from '../../src/telemetry/log';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { journalSuite } from '../journal/journal-suite';
import { newOrder } from '../journal/new-order';

function logOf(level: LogLevel = 'info') {
  const lines: string[] = [];
  const log = createLog(level, { write: (line) => void lines.push(line) });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('the log', () => {
  it('writes one JSON line with level, time, event and fields', () => {
    const { log, lines, parsed } = logOf();
    log.info('request done', { operation: 'buy_airtime', durationMs: 12.5, isAbandoned: false, heldMs: null });
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(parsed()[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      event: 'request done',
      operation: 'buy_airtime',
      durationMs: 12.5,
      isAbandoned: false,
      heldMs: null,
    });
  });

  it('writes what is serious enough', () => {
    const { log, parsed } = logOf('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(parsed().map((line) => line.level)).toEqual(['warn', 'error']);
    const silent = logOf('silent');
    silent.log.error('e');
    expect(silent.lines).toEqual([]);
  });

  it('says which of several processes wrote the line, and writes a number that JSON has no word for as null', () => {
    const lines: string[] = [];
    createLog('debug', { write: (line) => void lines.push(line) }, 2).debug('x', { heldMs: NaN, durationMs: Infinity });
    expect(lines[0]).toMatch(/^\{"level":"debug","time":"[^"]+","worker":2,"heldMs":null,"durationMs":null,"event":"x"\}\n$/);
    expect([createLog('debug', { write: () => undefined }), logOf().log].map((log) => log.writesDebug)).toEqual([true, false]);
  });

  it('leaves out what is not on the list, and whatever is no plain value', () => {
    const { log, parsed } = logOf();
    const handedIn = {
      phone: '08030000001',
      pin: '1234',
      apiKey: new Secret('k'),
      error: { pin: '1234' },
      status: 200,
      level: 'fatal',
    };
    log.info('x', handedIn as unknown as LogFields);
    expect(parsed()[0]).toEqual({ level: 'info', time: expect.any(String) as string, event: 'x', status: 200 });
  });

  it('has no field that could hold a credential or goods', () => {
    for (const word of ['apikey', 'cardpin', 'token', 'authorization', 'phone', 'meter', 'body']) {
      expect(LOG_FIELDS.filter((field) => field.toLowerCase().includes(word))).toEqual([]);
    }
  });

  it.each([
    'invalid header Authorization: Bearer abcdef.hunter2',
    'Token  hunter2hunter2:1234 is revoked',
    'GET /api/user?api_key=hunter2&x=1',
    '{"pin":"hunter2","amount":100}',
    "pin: 'hunter2'",
    'key acme_live_hunter2:1234 refused',
    'key sandbox_hunter2 refused',
    'cga2.a.hunter2',
    'postgres://gateway:hunter2@db/orders',
  ])('masks a credential in the words of others: %s', (error) => {
    const { log, lines } = logOf();
    log.error('x', { error });
    expect(lines.join()).not.toContain('hunter2');
    expect(lines.join()).toContain('[secret]');
  });

  it('leaves ordinary words alone', () => {
    const { log, parsed } = logOf();
    log.error('x', { reason: 'HTTP 200 without a JSON object, PIN locked for 10 minutes' });
    expect(parsed()[0]?.reason).toBe('HTTP 200 without a JSON object, PIN locked for 10 minutes');
  });

  it('masks long numbers in sentences, and leaves an id, a reference and a fingerprint as they are', () => {
    const { log, parsed } = logOf();
    const fingerprint = 'd08ce7acc9bb12345678901234567890';
    log.error('x', {
      error: `no 08031234567 in ${fingerprint}`,
      reference: '20261122083000',
      requestId: '1732270000123',
      fingerprint,
    });
    expect(parsed()[0]).toMatchObject({
      error: `no [number] in ${fingerprint}`,
      reference: '20261122083000',
      requestId: '1732270000123',
      fingerprint,
    });
  });

  it('writes characters without a shape as numbers, in every field', () => {
    const { log, lines, parsed } = logOf();
    log.info('x', { path: '/a\u202eb', method: 'G\u0000T', error: 'one\ntwo\u2028', requestId: 'a\nb\ud83d' });
    expect(lines[0]).not.toMatch(/[\p{Cf}\p{Zl}]/u);
    expect(parsed()[0]).toMatchObject({
      path: '/a\\u202eb',
      method: 'G\\u0000T',
      error: 'one\ntwo\\u2028',
      requestId: 'a\\u000ab\\ud83d',
    });
  });

  it('bounds what others can write into a line', () => {
    const { log, lines } = logOf();
    log.info('x', { path: `/${'a'.repeat(100_000)}` });
    expect(lines[0]?.length).toBeLessThan(1_000);
  });

  it('masks long hostile text in a blink', () => {
    const { log } = logOf();
    const before = process.cpuUsage();
    for (const text of ['token '.repeat(200), 'pin=pin='.repeat(100), '://a:'.repeat(150), '"'.repeat(1_000)])
      log.info('x', { error: text });
    // Processor time of this process in microseconds, without the load of others.
    expect(process.cpuUsage(before).user).toBeLessThan(100_000);
  });

  it('shows an error by its words, code and stack', () => {
    const error = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    expect(errorFields(error)).toEqual({ error: 'no room', code: 'ENOSPC', stack: expect.stringContaining('no room') as string });
    expect(errorFields('words')).toEqual({ error: 'words' });
    expect(errorFields(undefined)).toEqual({ error: 'undefined' });
    expect(errorFields({})).toEqual({ error: 'an error without words' });
  });
});

const ADA = 'a'.repeat(32);

test('every line with the fingerprint of a named caller has its title, and no other line has one', () => {
  const lines: string[] = [];
  const log = namedLog(createLog('debug', { write: (line: string) => void lines.push(line) }), (fingerprint) =>
    fingerprint === ADA ? 'Ada' : undefined,
  );
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]('line', { fingerprint: ADA, count: 1 });
  log.info('line', { fingerprint: 'b'.repeat(32) });
  log.info('line');
  const callers = lines.map((line) => (JSON.parse(line) as { caller?: string }).caller);
  expect(callers).toEqual(['Ada', 'Ada', 'Ada', 'Ada', undefined, undefined]);
  expect(lines[0]).toContain('"count":1');
});

test('a title is shown as what others wrote', () => {
  const lines: string[] = [];
  namedLog(createLog('info', { write: (line: string) => void lines.push(line) }), () => 'shop_live_0123456789').info('line', {
    fingerprint: ADA,
  });
  expect(lines.join('')).not.toContain('0123456789');
});

let lines: Record<string, unknown>[] = [];
const log = createLog('debug', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
const makeJournal = () => loggedJournal(createMemoryJournal(), log, (id) => `shown ${id}`);

journalSuite('a journal with a line for each step', async () => makeJournal());

test('each step of an order is a line, with its id as it may be shown and how the order stands', async () => {
  const journal = makeJournal();
  lines = [];
  const intent = newOrder();
  await journal.open(intent);
  await journal.settle(intent.owner, intent.requestId, { kind: 'succeeded', reference: 'v1-9' }, 1);
  await journal.settle(intent.owner, intent.requestId, { kind: 'unknown', reason: 'late' }, 2);
  await journal.tell(intent.owner, intent.requestId, 3);
  const requestId = `shown ${intent.requestId}`;
  expect(lines).toMatchObject([
    { level: 'debug', event: 'order_opened', kind: 'opened', requestId, order: expect.any(Number) },
    { event: 'order_settled', kind: 'succeeded', outcome: 'succeeded', requestId },
    { event: 'order_settled', kind: 'unknown', outcome: 'succeeded', requestId },
    { event: 'order_told', requestId },
  ]);
});
