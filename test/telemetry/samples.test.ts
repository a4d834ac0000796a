import { kobo } from '../../src/domain/amount';
import { createMetrics } from '../../src/telemetry/metrics';
import { addTallies, addTimes, quantile, readSampled, SAMPLE_MS, takeSamples, valuesOf } from '../../src/telemetry/samples';
import { createVirtualClock } from '../domain/virtual-clock';

/** Metrics and samples with a clock that moves only by `pass`, one sample at a time. */
function sampledMetrics() {
  const clock = createVirtualClock(0);
  const metrics = createMetrics({ hasProcessMetrics: false });
  const read = () => readSampled(metrics.registry);
  const samples = takeSamples(clock, read, (error) => {
    throw error;
  });
  const pass = async (count = 1): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      await clock.advance(SAMPLE_MS);
      await new Promise(setImmediate);
    }
  };
  const sell = (durationMs: number): void =>
    metrics.requestDone({ operation: 'buy_airtime', format: 'b', outcome: 'succeeded', durationMs });
  return { metrics, samples, pass, sell, read };
}

test('a sample has the requests since the sample before it, and the present open orders and state of v1', async () => {
  const { metrics, samples, pass, sell } = sampledMetrics();
  sell(30);
  metrics.callerDone('Ada', 'succeeded');
  sell(30);
  await pass();
  expect(samples.latest()!.byCaller).toEqual({ Ada: { succeeded: 1 } });
  expect(samples.latest()).toMatchObject({
    spanMs: SAMPLE_MS,
    byOperation: { buy_airtime: { succeeded: 2 } },
    isV1Up: true,
    openOrders: 0,
  });
  metrics.setV1Up(false);
  metrics.setUnknownOrders({ agesMs: [1_000, 1_000, 1_000], overdue: 2, atRisk: kobo(50_000) });
  await pass();
  expect(samples.latest()).toMatchObject({ byOperation: {}, isV1Up: false, openOrders: 3, openNaira: 500, openOverdue: 2 });
  samples.stop();
});

test('callers whose titles are names of built-in objects are counted like others', async () => {
  const { metrics, samples, pass } = sampledMetrics();
  const titles = ['__proto__', 'constructor', 'Ada'];
  for (const title of titles) metrics.callerDone(title, 'succeeded');
  await pass();
  const { byCaller } = samples.latest()!;
  expect(Object.entries(addTallies([byCaller, byCaller]))).toEqual(titles.map((title) => [title, { succeeded: 2 }]));
  expect({}).not.toHaveProperty('succeeded');
  samples.stop();
});

test('twelve samples make one sample of a minute, and the hour keeps at most 720 samples', async () => {
  const { samples, pass, sell } = sampledMetrics();
  sell(30);
  await pass(6);
  sell(300);
  await pass(6);
  expect(samples.day()).toHaveLength(1);
  expect(samples.day()[0]).toMatchObject({ spanMs: 60_000, byOperation: { buy_airtime: { succeeded: 2 } } });
  expect(addTallies(samples.hour().map(({ byOperation }) => byOperation))).toEqual({ buy_airtime: { succeeded: 2 } });
  await pass(720);
  expect(samples.hour()).toHaveLength(720);
  samples.stop();
});

test('a listener gets each sample until it is removed', async () => {
  const { samples, pass } = sampledMetrics();
  let heard = 0;
  const stop = samples.listen(() => (heard += 1));
  await pass(2);
  stop();
  await pass();
  expect(heard).toBe(2);
  samples.stop();
});

test('a quantile lies between the bounds of its bucket', async () => {
  const { samples, pass, sell, read } = sampledMetrics();
  expect(quantile({ bounds: [], counts: [] }, 0.5)).toBeUndefined();
  for (let index = 0; index < 99; index += 1) sell(30);
  sell(30_000);
  await pass();
  const { request } = samples.latest()!;
  expect(quantile(request, 0.5)).toBeGreaterThan(0.025);
  expect(quantile(request, 0.5)).toBeLessThanOrEqual(0.05);
  expect(quantile(request, 0.999)).toBeGreaterThan(20);
  expect(quantile(addTimes([request, request]), 0.5)).toBe(quantile(request, 0.5));
  expect(valuesOf(await read(), 'compat_requests_total')[0]?.value).toBe(100);
  samples.stop();
});

test('the samples of several workers are read from their summed metrics', async () => {
  const sum = [{ name: 'compat_v1_up', values: [{ value: 0, labels: {} }] }];
  expect(await readSampled({ getMetricsAsJSON: () => Promise.resolve(sum) })).toBe(sum);
});
