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

test('v1 is up until it is told otherwise, and its troubles are counted by kind', async () => {
  const metrics = createMetrics({ hasProcessMetrics: false });
  expect(await metrics.registry.metrics()).toMatch(/^compat_v1_up 1$/m);
  metrics.v1Trouble('not_v1');
  metrics.setV1Up(false);
  expect(await metrics.registry.metrics()).toMatch(/^compat_v1_up 0$/m);
  expect(await metrics.registry.metrics()).toMatch(/^compat_v1_troubles_total\{kind="not_v1"\} 1$/m);
  metrics.setV1Up(true);
  expect(await metrics.registry.metrics()).toMatch(/^compat_v1_up 1$/m);
});
