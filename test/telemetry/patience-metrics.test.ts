import { createMetrics } from '../../src/telemetry/metrics';

test('hang-ups, repeats and what was learnt from them are counted under bounded labels', async () => {
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
