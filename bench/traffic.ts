/**
 * What learning from traffic costs a request: `node -r ./test/journal/run-typescript.cjs bench/traffic.ts`. Prints the
 * microseconds per request without and with it, for a script that repeats itself and for one whose requests are always new.
 */
import { systemClock } from '../src/domain/clock';
import type { LegacyRequest, LegacyValue } from '../src/domain/legacy';
import { checkFolder } from '../src/mapping/check';
import { createMemoryStore } from '../src/traffic/traffic-store';
import { createRecorder, type Walked } from '../src/traffic/recorder';

const REQUESTS = 200_000;
const ROUNDS = 5;

const { mapping } = checkFolder('mappings');
if (mapping === undefined) throw new Error('run me in the folder of package.json');
const body = (index: number, isNew: boolean): Record<string, LegacyValue> => ({
  network: 'MTN',
  mobile_number: `0803${1_000_000 + index}`,
  amount: String(100 + (index % 900)),
  Ported_number: true,
  airtime_type: 'VTU',
  'request-id': `R-${index}`,
  ...(isNew
    ? { [`memo_${String.fromCharCode(97 + (index % 26), 97 + ((index >> 5) % 26), 97 + ((index >> 10) % 26))}`]: 'x' }
    : {}),
});
const requestsOf = (isNew: boolean): LegacyRequest[] =>
  Array.from({ length: REQUESTS }, (_, index) => ({
    method: 'POST',
    path: '/api/topup/',
    query: new Map(),
    body: new Map(Object.entries(body(index, isNew))),
    headers: { authorization: 'Token sandbox_demo:1234' },
    clientAddress: '127.0.0.1',
  }));
const walked: Walked = { operation: 'buy_airtime', format: 'b', fingerprint: '0'.repeat(32), refusal: undefined };

/** Processor time instead of wall time: the best of several rounds. */
function microsecondsPer(requests: readonly LegacyRequest[], work: (request: LegacyRequest) => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (const request of requests) work(request);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...rounds) / requests.length;
}

async function main(): Promise<void> {
  for (const [title, requests] of [
    ['a script that repeats itself', requestsOf(false)],
    ['a script that is always new', requestsOf(true)],
  ] as const) {
    const recorder = createRecorder({
      mapping: () => mapping!,
      clock: systemClock,
      store: Promise.resolve(createMemoryStore(0)),
      onTrouble: (error) => {
        throw error;
      },
    });
    const without = microsecondsPer(requests, (request) => void mapping!.matchRoute(request.method, request.path));
    const withIt = microsecondsPer(requests, (request) => {
      mapping!.matchRoute(request.method, request.path);
      recorder.record(request, walked);
    });
    process.stdout.write(
      `${title}: ${without.toFixed(2)} µs without, ${withIt.toFixed(2)} µs with, +${(withIt - without).toFixed(2)} µs\n`,
    );
    await recorder.stop();
  }
}

void main();
