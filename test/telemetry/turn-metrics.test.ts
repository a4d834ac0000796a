import { createMetrics } from '../../src/telemetry/metrics';

test('calls under way, waiting and allowed are those of the moment of the reading', async () => {
  const metrics = createMetrics({ hasProcessMetrics: false });
  let waiting = 3;
  metrics.watchTurns(() => ({ inFlight: 7, waiting, bound: 4_096 }));
  metrics.callWaited('taken', 300);
  metrics.callWaited('late', 4_000);
  waiting = 2;
  const lines = (await metrics.registry.metrics()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'compat_upstream_calls_in_flight 7',
      'compat_upstream_calls_waiting 2',
      'compat_upstream_calls_bound 4096',
      'compat_upstream_wait_seconds_sum{fate="taken"} 0.3',
      'compat_upstream_wait_seconds_count{fate="late"} 1',
    ]),
  );
});
