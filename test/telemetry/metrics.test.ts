import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { kobo } from '../../src/domain/amount';
import { createMetrics } from '../../src/telemetry/metrics';

function metricsOf() {
  const metrics = createMetrics({ hasProcessMetrics: false });
  const lines = async () => (await metrics.registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { metrics, lines };
}

describe('the metrics', () => {
  it('count requests by operation, format and outcome, and time them', async () => {
    const { metrics, lines } = metricsOf();
    metrics.inFlight(2);
    metrics.inFlight(-1);
    metrics.requestDone({ operation: 'buy_airtime', format: 'a', outcome: 'succeeded', durationMs: 120 });
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'compat_requests_total{operation="buy_airtime",format="a",outcome="succeeded"} 1',
        'compat_request_seconds_bucket{le="0.1",operation="buy_airtime"} 0',
        'compat_request_seconds_bucket{le="0.25",operation="buy_airtime"} 1',
        'compat_requests_in_flight 1',
      ]),
    );
  });

  it('show how many orders are unknown, and their sum in naira', async () => {
    const { metrics, lines } = metricsOf();
    metrics.setUnknownOrders({ agesMs: [1_000, 90_000, 5 * 86_400_000], overdue: 1, atRisk: kobo(150_050) });
    expect(await lines()).toEqual(expect.arrayContaining(['compat_unknown_orders 3', 'compat_unknown_orders_naira 1500.5']));
  });

  it('count unknown fields by name, and count odd names and names beyond the limit as `other`', async () => {
    const { metrics, lines } = metricsOf();
    metrics.unknownFields(
      'buy_airtime',
      Array.from({ length: 98 }, (_, index) => `field${index}`),
    );
    metrics.unknownFields('buy_data', ['coupon', 'coupon', 'a"b\n', 'x'.repeat(41), 'theme', 'late', 'coupon']);
    const counted = (await lines()).filter((line) => line.startsWith('compat_unknown_fields_total{operation="buy_data"'));
    expect(counted.sort()).toEqual([
      'compat_unknown_fields_total{operation="buy_data",field="coupon"} 3',
      'compat_unknown_fields_total{operation="buy_data",field="other"} 3',
      'compat_unknown_fields_total{operation="buy_data",field="theme"} 1',
    ]);
  });

  it('time calls to v1 by path, and count an address with a query as `other`', async () => {
    const { metrics, lines } = metricsOf();
    metrics.upstreamDone('/airtime', 'succeeded', 50);
    metrics.upstreamDone('/receipt?reference=1', 'found', 50);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'compat_upstream_seconds_count{path="/airtime",outcome="succeeded"} 1',
        'compat_upstream_seconds_count{path="other",outcome="found"} 1',
      ]),
    );
  });

  it('include metrics of the process unless switched off, and can be created twice in one process', async () => {
    const both = [createMetrics(), createMetrics()];
    expect(await both[1]?.registry.metrics()).toContain('process_resident_memory_bytes');
    expect(await createMetrics({ hasProcessMetrics: false }).registry.metrics()).not.toContain('process_resident_memory_bytes');
    expect(both[0]?.registry.contentType).toContain('text/plain');
  });
});

test('hang-ups, repeats and learnt patience are counted by kind', async () => {
  const metrics = createMetrics({ hasProcessMetrics: false });
  metrics.hungUp('plain_php');
  metrics.repeated('joined');
  metrics.repeated('joined');
  metrics.setLearnt(new Map([['axios', 3]]));
  metrics.setLearnt(new Map([['plain_php', 2]]));
  const text = await metrics.registry.metrics();
  expect(text).toContain('compat_hang_ups_total{kind="plain_php"} 1');
  expect(text).toContain('compat_repeats_total{repeat="joined"} 2');
  expect(text).toContain('compat_learnt_patience_keys{kind="plain_php"} 2');
  expect(text).not.toContain('axios');
});

test('the metric of lost log lines shows the count that the log keeps', async () => {
  let lost = 0;
  const { registry } = createMetrics({ hasProcessMetrics: false, logLinesLost: () => lost });
  expect(await registry.metrics()).toMatch(/^compat_log_lines_lost_total 0$/m);
  lost = 7;
  expect(await registry.metrics()).toMatch(/^compat_log_lines_lost_total 7$/m);
  lost = 9;
  expect(await registry.metrics()).toMatch(/^compat_log_lines_lost_total 9$/m);
});

test('calls in flight, calls that wait and their limit are read at the moment of the scrape', async () => {
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

/** Metrics that exist only with WORKERS above 1: test/crash/workers.test.ts reads them. */
const OF_SEVERAL_PROCESSES = ['compat_workers: ', 'compat_worker_deaths_total: '];

test('docs/operations.md has a row for every metric, with its labels, and for no other', () => {
  const page = readFileSync(resolve(__dirname, '..', '..', 'docs', 'operations.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(compat_\w+)` \| ([^|]*)\|/gm)].map(([, name, labels]) => `${name}: ${labels!.trim()}`);
  const metrics = metricsOf().metrics.registry.getMetricsAsArray() as unknown as {
    readonly name: string;
    readonly labelNames: readonly string[];
  }[];
  const shown = metrics.map(({ name, labelNames }) => `${name}: ${labelNames.join(', ')}`);
  expect(rows.sort()).toEqual([...shown, ...OF_SEVERAL_PROCESSES].sort());
});
