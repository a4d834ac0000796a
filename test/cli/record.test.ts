// A running gateway, two resellers that sell through it, and an operator who records one of them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedRequest } from '../../src/domain/recorded-request';
import { fingerprintOf, send, useHouse } from '../flows/house';
import { runHere, withSettings } from './run-here';

const house = useHouse({ callers: { acme_live_demo: { title: 'Acme Lagos' } } });
withSettings(() => ({ ADMIN_PORT: new URL(house.service.adminUrl).port, DATA_DIR: house.dataDir }));

const sell = (id: string, key = 'sandbox_demo:1234', network: unknown = 1) =>
  send(
    house.url,
    '/api/topup/',
    { network, mobile_number: '08031234567', amount: 150, 'request-id': id, secretword: 'hunter2' },
    { key },
  );

async function untilRecording(fingerprint: string): Promise<void> {
  while (!(await fetch(`${house.service.adminUrl}/record/${fingerprint}`)).ok) await sleep(20);
}

test('one caller is recorded, masked, until the asked number of requests', async () => {
  const fingerprint = fingerprintOf('sandbox_demo');
  await sell('before');
  const recording = runHere('record', '--caller', fingerprint, '--for', '1m', '--max', '2', '--json');
  await untilRecording(fingerprint);
  await sell('of-another', 'acme_live_demo:1234');
  await sell('sold');
  await sell('refused', 'sandbox_demo:1234', 9);
  await sell('after-the-last');
  const { code, stdout } = await recording;
  expect(code).toBe(0);
  const recorded = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedRequest);
  expect(recorded.map(({ number, requestId, outcome, refusedAs }) => [number, requestId, outcome, refusedAs])).toEqual([
    [1, 'sold', 'succeeded', undefined],
    [2, 'refused', 'refused', 'invalid_field'],
  ]);
  expect(recorded[0]).toMatchObject({ method: 'POST', path: '/api/topup/', operation: 'buy_airtime', format: 'b' });
  expect(recorded[0]!.headers).toContain('authorization');
  expect(recorded[0]!.fields).toContainEqual({ name: 'mobile_number', place: 'body', kind: 'phone', length: 11, endsWith: '67' });
  expect(recorded[0]!.fields).toContainEqual({ name: 'secretword', place: 'body', kind: 'word', length: 7 });
  expect(recorded[0]!.told).toMatchObject({ httpStatus: 200, words: { status: 'success', Status: 'successful' } });
  expect(recorded[1]!.detail).toContain('network');
  // No key, PIN, number, reference or text of the script is shown: only words that are no values.
  const told = stdout.replace(/"(?:atMs|durationMs)":\d+/g, '');
  for (const value of ['sandbox_demo', '1234', '0803', 'hunter2', '150', 'PPA0']) expect(told).not.toContain(value);
}, 60_000);

test('a caller is recorded by its title; the recording ends by time, and nothing is recorded afterwards', async () => {
  const fingerprint = fingerprintOf('acme_live_demo');
  const recording = runHere('record', '--caller', 'acme lagos', '--for', '1s');
  await untilRecording(fingerprint);
  await sell('in-time', 'acme_live_demo:1234');
  const { code, stdout } = await recording;
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /POST \/api\/topup\/ {2}succeeded {2}\d+ ms\n {2}sent {5}network: integer\(1\), mobile_number: phone\(11\) …67.*\n[^]*told {5}HTTP 200, status: success[^]*\n1 request\.\n$/,
    ) as string,
  });
  expect((await fetch(`${house.service.adminUrl}/record/${fingerprint}`)).status).toBe(404);
}, 60_000);

test('an unknown caller is refused with a sentence', async () => {
  const { code, stderr } = await runHere('record', '--caller', 'Nobody');
  expect([code, stderr]).toEqual([1, 'No caller is called "Nobody". Give a title of callers.yaml, or a fingerprint.\n']);
});
