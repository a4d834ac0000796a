import { kobo } from '../../src/domain/amount';
import { createMetrics, type MetricsOptions } from '../../src/telemetry/metrics';

function metricsOf(options: MetricsOptions = {}) {
  const metrics = createMetrics({ hasProcessMetrics: false, ...options });
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

  it('count refusals by code, also when nothing else is known of the request', async () => {
    const { metrics, lines } = metricsOf();
    metrics.requestDone({ outcome: 'refused', refusedAs: 'unreadable_body', durationMs: 1 });
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'compat_refusals_total{code="unreadable_body"} 1',
        'compat_requests_total{operation="none",format="none",outcome="refused"} 1',
      ]),
    );
  });

  it('tell the money in unknown orders', async () => {
    const { metrics, lines } = metricsOf();
    metrics.setUnknownOrders(3, kobo(150_050));
    expect(await lines()).toEqual(expect.arrayContaining(['compat_unknown_orders 3', 'compat_unknown_orders_naira 1500.5']));
  });

  it('time holds by how the order stood then', async () => {
    const { metrics, lines } = metricsOf();
    metrics.held('buy_electricity', 4_000, 'pending');
    expect(await lines()).toContain('compat_hold_seconds_sum{operation="buy_electricity",outcome="pending"} 4');
  });

  it('name unknown fields, and call everything `other` beyond a bound', async () => {
    const { metrics, lines } = metricsOf({ fieldNamesMax: 2 });
    metrics.unknownFields('buy_data', ['coupon', 'coupon', 'a"b\n', 'x'.repeat(41), 'theme', 'late', 'coupon']);
    const counted = (await lines()).filter((line) => line.startsWith('compat_unknown_fields_total'));
    expect(counted.sort()).toEqual([
      'compat_unknown_fields_total{operation="buy_data",field="coupon"} 3',
      'compat_unknown_fields_total{operation="buy_data",field="other"} 3',
      'compat_unknown_fields_total{operation="buy_data",field="theme"} 1',
    ]);
  });

  it('have 100 names of fields at most by default', async () => {
    const { metrics, lines } = metricsOf();
    metrics.unknownFields(
      'buy_data',
      Array.from({ length: 500 }, (_, n) => `field_${n}`),
    );
    const counted = (await lines()).filter((line) => line.startsWith('compat_unknown_fields_total'));
    expect(counted).toHaveLength(101);
    expect(counted).toContain('compat_unknown_fields_total{operation="buy_data",field="other"} 400');
  });

  it('time calls to v1 by path, and take no path that is none', async () => {
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

  it('show one mapping hash, the one in use', async () => {
    const { metrics, lines } = metricsOf();
    metrics.mappingLoaded('aaaa');
    metrics.mappingLoaded('bbbb');
    expect((await lines()).filter((line) => line.startsWith('compat_mapping_info'))).toEqual([
      'compat_mapping_info{hash="bbbb"} 1',
    ]);
  });

  it('include the process, unless told otherwise, and several sets do not meet', async () => {
    const both = [createMetrics(), createMetrics()];
    expect(await both[1]?.registry.metrics()).toContain('process_resident_memory_bytes');
    expect(await createMetrics({ hasProcessMetrics: false }).registry.metrics()).not.toContain('process_resident_memory_bytes');
    expect(both[0]?.registry.contentType).toContain('text/plain');
  });
});
