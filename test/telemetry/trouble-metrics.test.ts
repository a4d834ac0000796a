import { createMetrics } from '../../src/telemetry/metrics';

test('lines that the log has lost are counted where the log counts them', async () => {
  let lost = 0;
  const { registry } = createMetrics({ hasProcessMetrics: false, logLinesLost: () => lost });
  expect(await registry.metrics()).toMatch(/^compat_log_lines_lost_total 0$/m);
  lost = 7;
  expect(await registry.metrics()).toMatch(/^compat_log_lines_lost_total 7$/m);
  lost = 9;
  expect(await registry.metrics()).toMatch(/^compat_log_lines_lost_total 9$/m);
});
