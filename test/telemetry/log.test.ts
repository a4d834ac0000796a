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

function logOf(level: LogLevel = 'info', worker?: number) {
  const lines: string[] = [];
  const log = createLog(level, { write: (line) => void lines.push(line) }, worker);
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

  it('writes only events of its level and above, and nothing at level silent', () => {
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

  it('names the worker that wrote the line, and writes NaN and Infinity as null', () => {
    const { log, lines } = logOf('debug', 2);
    log.debug('x', { heldMs: NaN, durationMs: Infinity });
    expect(lines[0]).toMatch(/^\{"level":"debug","time":"[^"]+","worker":2,"heldMs":null,"durationMs":null,"event":"x"\}\n$/);
    expect([log, logOf().log].map(({ writesDebug }) => writesDebug)).toEqual([true, false]);
  });

  it('leaves out fields that are not on the list and values that are not plain', () => {
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

  it('lists no field that could hold a credential or goods', () => {
    for (const word of ['apikey', 'cardpin', 'token', 'authorization', 'phone', 'meter', 'body']) {
      expect(LOG_FIELDS.filter((field) => field.toLowerCase().includes(word))).toEqual([]);
    }
  });

  it.each([
    'invalid header Authorization: Bearer abcdef.hunter2',
    'Token  hunter2hunter2:1234 is revoked',
    'GET /api/user?api_key=hunter2&x=1',
    '{"pin":"hunter2","amount":100}',
    '{"transaction_pin":"hunter2"}',
    '{"token":"hunter2"}',
    "pin: 'hunter2'",
    'key acme_live_hunter2:1234 refused',
    'key sandbox_hunter2 refused',
    'cga2.a.hunter2',
    'postgres://gateway:hunter2@db/orders',
  ])('masks a credential in an error text: %s', (error) => {
    const { log, lines } = logOf();
    log.error('x', { error });
    expect(lines.join()).not.toContain('hunter2');
    expect(lines.join()).toContain('[secret]');
  });

  it('leaves our own sentence about how to send a key unchanged, but no key in its place', () => {
    const { log, parsed } = logOf();
    const sentence = 'Send it as `Authorization: Token <API_KEY>:<PIN>`.';
    log.error('x', { detail: sentence });
    expect(parsed()[0]?.detail).toBe(sentence);
    for (const sent of [
      'Token <hunter2>:1234',
      'Token <API_KEY>:<hunter2>',
      'Token <API_KEY>:<PIN>`hunter2',
      'Token <API_KEY>:<PIN>:hunter2',
    ])
      log.error('x', { detail: `Authorization: ${sent}` });
    expect(JSON.stringify(parsed())).not.toContain('hunter2');
  });

  it('leaves an ordinary reason unchanged', () => {
    const { log, parsed } = logOf();
    log.error('x', { reason: 'HTTP 200 without a JSON object, PIN locked for 10 minutes' });
    expect(parsed()[0]?.reason).toBe('HTTP 200 without a JSON object, PIN locked for 10 minutes');
  });

  it('masks long numbers in sentences, but not a request id, a reference or a fingerprint', () => {
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

  it('writes invisible characters as escapes, in every field', () => {
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

  it('shortens a very long path', () => {
    const { log, lines } = logOf();
    log.info('x', { path: `/${'a'.repeat(100_000)}` });
    expect(lines[0]?.length).toBeLessThan(1_000);
  });

  it('masks long hostile text in less than 0.1 s of processor time', () => {
    const { log } = logOf();
    const before = process.cpuUsage();
    for (const text of ['token '.repeat(200), 'pin=pin='.repeat(100), '://a:'.repeat(150), '"'.repeat(1_000)])
      log.info('x', { error: text });
    // Processor time of this process in microseconds, without the load of others.
    expect(process.cpuUsage(before).user).toBeLessThan(100_000);
  });

  it('shows the message, code and stack of an error', () => {
    const error = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    expect(errorFields(error)).toEqual({ error: 'no room', code: 'ENOSPC', stack: expect.stringContaining('no room') as string });
    expect(errorFields('words')).toEqual({ error: 'words' });
    expect(errorFields(undefined)).toEqual({ error: 'undefined' });
    expect(errorFields({})).toEqual({ error: 'an error without words' });
  });
});

const ADA = 'a'.repeat(32);

test('every line with the fingerprint of a named caller shows its title, and no other line shows a title', () => {
  const { log: unnamed, lines, parsed } = logOf('debug');
  const log = namedLog(unnamed, (fingerprint) => (fingerprint === ADA ? 'Ada' : undefined));
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]('line', { fingerprint: ADA, count: 1 });
  log.info('line', { fingerprint: 'b'.repeat(32) });
  log.info('line');
  expect(parsed().map(({ caller }) => caller)).toEqual(['Ada', 'Ada', 'Ada', 'Ada', undefined, undefined]);
  expect(lines[0]).toContain('"count":1');
});

test('a key in the title of a caller is masked', () => {
  const { log, lines } = logOf();
  namedLog(log, () => 'shop_live_0123456789').info('line', { fingerprint: ADA });
  expect(lines.join('')).not.toContain('0123456789');
});

const makeJournal = (log = logOf('debug').log) => loggedJournal(createMemoryJournal(), log, (id) => `shown ${id}`);

journalSuite('a journal that logs each step', async () => makeJournal());

test('each step of an order logs one line with the shown request id and the outcome so far', async () => {
  const { log, parsed } = logOf('debug');
  const journal = makeJournal(log);
  const intent = newOrder();
  await journal.open(intent);
  await journal.settle(intent.owner, intent.requestId, { kind: 'succeeded', reference: 'v1-9' }, 1);
  await journal.settle(intent.owner, intent.requestId, { kind: 'unknown', reason: 'late' }, 2);
  await journal.tell(intent.owner, intent.requestId, 3);
  const requestId = `shown ${intent.requestId}`;
  expect(parsed()).toMatchObject([
    { level: 'debug', event: 'order_opened', kind: 'opened', requestId, order: expect.any(Number) },
    { event: 'order_settled', kind: 'succeeded', outcome: 'succeeded', requestId },
    { event: 'order_settled', kind: 'unknown', outcome: 'succeeded', requestId },
    { event: 'order_told', requestId },
  ]);
});
