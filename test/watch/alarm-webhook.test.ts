/** Runs against real HTTP servers. */
import { createServer, type RequestListener } from 'node:http';
import { text as readBody } from 'node:stream/consumers';
import { systemClock, type Clock } from '../../src/domain/clock';
import { Secret } from '../../src/domain/credentials';
import { AlarmWebhook } from '../../src/watch/alarm-webhook';
import type { AlarmMessage } from '../../src/watch/alarms';
import { listen } from '../listen';
import { opened } from '../opened';

const MESSAGE: AlarmMessage = {
  state: 'raised',
  atMs: Date.UTC(2030, 0, 2),
  alarm: {
    name: 'wallet_low',
    subject: 'f00df00df00df00df00df00df00df00d',
    text: 'The wallet holds 5 naira, less than its limit of 10 naira & <more>.',
    todo: 'Fill the wallet.',
    runbook: 'docs/runbook.md#wallet_low',
    sinceMs: Date.UTC(2030, 0, 1),
  },
};
/** A clock that shortens every pause to 1 ms. */
const hasty: Clock = { ...systemClock, after: (_delayMs, run) => systemClock.after(1, run) };

let answers: number[];
let received: { readonly type: string | undefined; readonly body: string }[];
beforeEach(() => ([answers, received] = [[], []]));
const hearing: RequestListener = (request, response) => {
  void readBody(request).then((body) => {
    received.push({ type: request.headers['content-type'], body });
    const status = answers.shift() ?? 200;
    if (status === 0) return request.socket.destroy();
    response.writeHead(status).end();
  });
};
const server = opened(() => listen(createServer(hearing)), beforeEach, afterEach);

function openWebhook(format: 'auto' | 'json' | 'slack', titleOf?: () => string) {
  const troubles: string[] = [];
  const url = new Secret(`${server.url}/services/hush-hush`);
  const webhook = new AlarmWebhook({
    ...{ url, format, clock: hasty },
    ...(titleOf === undefined ? {} : { titleOf }),
    onTrouble: (what, error) => troubles.push(`${what}: ${(error as Error).message}`),
  });
  return { webhook, troubles };
}

test('the JSON format has every field of the alarm and the title of its key', async () => {
  const { webhook } = openWebhook('auto', () => 'Ada Stores');
  expect(await webhook.post(MESSAGE)).toBe(true);
  expect(received.map(({ type }) => type)).toEqual(['application/json']);
  expect(JSON.parse(received[0]!.body)).toEqual({
    ...{ alarm: 'wallet_low', state: 'raised', subject: 'f00df00df00df00df00df00df00df00d', title: 'Ada Stores' },
    ...{ text: MESSAGE.alarm.text, todo: 'Fill the wallet.', runbook: 'docs/runbook.md#wallet_low' },
    ...{ since: '2030-01-01T00:00:00.000Z', told_at: '2030-01-02T00:00:00.000Z', host: expect.any(String) },
  });
});

test('the Slack format is one text in which special characters are escaped', async () => {
  const { webhook } = openWebhook('slack');
  await webhook.post(MESSAGE);
  await webhook.post({ ...MESSAGE, state: 'over' });
  const [raised, over] = received.map(({ body }) => (JSON.parse(body) as { text: string }).text.split('\n'));
  expect(raised).toEqual([
    expect.stringMatching(/^ALARM wallet_low on \S+ \(f00df00d\w+\)$/),
    'The wallet holds 5 naira, less than its limit of 10 naira &amp; &lt;more&gt;.',
    'What to do: Fill the wallet.',
    'More: docs/runbook.md#wallet_low',
  ]);
  expect(over).toEqual([
    expect.stringMatching(/^OVER wallet_low/),
    expect.stringContaining('It is over; it began at 2030-01-01T00:00:00.000Z.'),
  ]);
});

test('a failed post is repeated, in the order of the alarms, and logged once without the address', async () => {
  answers = [500, 0, 404];
  const { webhook, troubles } = openWebhook('json');
  const second: AlarmMessage = { ...MESSAGE, state: 'over' };
  expect(await Promise.all([webhook.post(MESSAGE), webhook.post(second)])).toEqual([true, true]);
  expect(received.map(({ body }) => (JSON.parse(body) as { state: string }).state)).toEqual([
    ...['raised', 'raised', 'raised', 'raised'],
    'over',
  ]);
  expect(troubles).toEqual(['alarm_webhook: ALARM_WEBHOOK takes no alarm: it answers HTTP 500.']);
});

test('an alarm that the receiver refuses for what it says holds the next ones back for five tries', async () => {
  answers = [400, 400, 400, 400, 400];
  const { webhook, troubles } = openWebhook('json');
  expect(await Promise.all([webhook.post(MESSAGE), webhook.post({ ...MESSAGE, state: 'over' })])).toEqual([false, true]);
  expect(received).toHaveLength(6);
  expect(troubles).toEqual(['alarm_webhook: ALARM_WEBHOOK takes no alarm: it answers HTTP 400.']);
});

test('at most 100 alarms wait for an unreachable webhook, and a close drops them within three seconds', async () => {
  const slow: Clock = { ...systemClock, after: () => () => undefined };
  const webhook = new AlarmWebhook({
    ...{ url: new Secret('http://127.0.0.1:9/'), format: 'json', clock: slow },
    onTrouble: () => undefined,
  });
  const posted = Array.from({ length: 150 }, () => webhook.post(MESSAGE));
  expect(await Promise.all(posted.slice(1, 51))).toEqual(Array.from({ length: 50 }, () => false));
  const startedAt = performance.now();
  await webhook.close();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(new Set(await Promise.all(posted))).toEqual(new Set([false]));
});

test('a waiting alarm is posted once more when the process ends', async () => {
  answers = [500];
  const slow: Clock = { ...systemClock, after: () => () => undefined };
  const url = new Secret(`${server.url}/`);
  let failed = (): void => undefined;
  const hasFailed = new Promise<void>((resolve) => (failed = resolve));
  const webhook = new AlarmWebhook({ url, format: 'json', clock: slow, onTrouble: () => failed() });
  const taken = webhook.post(MESSAGE);
  await hasFailed;
  await webhook.close();
  expect(await taken).toBe(true);
  expect(received).toHaveLength(2);
});
