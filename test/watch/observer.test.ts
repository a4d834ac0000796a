// What watches a sale must not change what its script is told.
import { createObserver } from '../../src/watch/observer';
import { createLog } from '../../src/telemetry/log';
import { createMetrics } from '../../src/telemetry/metrics';
import type { Served } from '../../src/gateway/gateway';
import type { LegacyRequest } from '../../src/domain/legacy';

const request: LegacyRequest = {
  method: 'POST',
  path: '/api/topup/',
  query: new Map(),
  body: new Map(),
  headers: {},
  clientAddress: '127.0.0.1',
};
const served: Served = {
  reply: { status: 200, body: { status: 'success' } },
  operation: 'buy_airtime',
  format: 'b',
  reason: 'mobile_number',
  family: undefined,
  familyReason: undefined,
  outcome: 'succeeded',
  refusal: undefined,
  fingerprint: undefined,
  repeat: undefined,
  unknownFields: [],
  parameters: {},
  order: { requestId: 'SHOP-1' },
  heldMs: undefined,
};

test('a log that cannot be written throws nothing at a sale', () => {
  const log = createLog('info', {
    write: () => {
      throw new Error('no space left on device');
    },
  });
  expect(() => log.info('request')).toThrow('no space');
  const observer = createObserver(log, createMetrics());
  expect(() => observer.served(request, served, Date.now())).not.toThrow();
  expect(() => observer.trouble('journal', new Error('away'))).not.toThrow();
});

test('a metric that throws leaves a line in the log and nothing else', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const metrics = {
    ...createMetrics(),
    requestDone: () => {
      throw new Error('a label that is none');
    },
  };
  createObserver(log, metrics).served(request, served, Date.now());
  expect(lines.join('')).toContain('a label that is none');
});
