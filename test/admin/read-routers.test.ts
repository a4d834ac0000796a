import express from 'express';
import request from 'supertest';
import { createAlarmsRouter, createTrafficRouter } from '../../src/admin/read-routers';

const ADA = 'ada0'.repeat(8);

test('raised alarms are shown with what to do', async () => {
  const alarm = {
    name: 'v1_down',
    subject: `${ADA} x`,
    text: 'v1 is gone.',
    todo: 'Look.',
    runbook: 'docs/runbook.md#v1_down',
    sinceMs: 0,
  } as const;
  const app = express().use(
    createAlarmsRouter({ active: () => [alarm] }, (fingerprint) => (fingerprint === ADA ? 'Ada Stores' : undefined)),
  );
  const { body, headers } = await request(app).get('/');
  expect(body).toEqual({
    alarms: [
      {
        ...{
          alarm: 'v1_down',
          subject: `${ADA} x`,
          title: 'Ada Stores',
          text: 'v1 is gone.',
          todo: 'Look.',
          runbook: 'docs/runbook.md#v1_down',
        },
        since: '1970-01-01T00:00:00.000Z',
      },
    ],
  });
  expect(headers['cache-control']).toBe('no-store');
});

test('the traffic is read from the recorder, and a gateway that remembers none names the setting TRAFFIC_SHAPES', async () => {
  const traffic = { sinceMs: 1, shapes: [], unlistedWords: [], unknownAddresses: [], usedWords: [], forgotten: 0 };
  const ask = (router: express.Router) => request(express().use(router)).get('/');
  expect((await ask(createTrafficRouter({ read: async () => traffic }))).body).toEqual(traffic);
  const { status, body } = await ask(createTrafficRouter(undefined));
  expect([status, body]).toEqual([409, { status: 'error', message: expect.stringContaining('TRAFFIC_SHAPES') }]);
});
