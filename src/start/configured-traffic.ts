/** Learning from traffic as the settings want it: in the data folder, in memory, or not at all. */
import { join } from 'node:path';
import type { Config } from '../config';
import { systemClock } from '../domain/clock';
import type { Mapping } from '../mapping/mapping';
import type { Metrics } from '../telemetry/metrics';
import { createRecorder, type TrafficRecorder } from '../traffic/recorder';
import { createMemoryStore, openTrafficStore } from '../traffic/traffic-store';

/** Undefined when it is switched off. A folder that cannot be used is told to `onTrouble`, and memory takes its place. */
export function openConfiguredTraffic(
  config: Pick<Config, 'trafficShapes' | 'journalUrl' | 'dataDir'>,
  mapping: () => Mapping,
  metrics: Pick<Metrics, 'trafficWritten'>,
  onTrouble: (what: string, error: unknown) => void,
): TrafficRecorder | undefined {
  if (!config.trafficShapes) return undefined;
  const now = systemClock.now();
  const isInMemory = config.journalUrl.toLowerCase().startsWith('memory:');
  const store = isInMemory
    ? Promise.resolve(createMemoryStore(now))
    : openTrafficStore(join(config.dataDir, 'traffic'), now).catch((error: unknown) => {
        onTrouble('traffic_folder', error);
        return createMemoryStore(now);
      });
  return createRecorder({
    mapping,
    clock: systemClock,
    store,
    onTrouble: (error) => onTrouble('traffic', error),
    onWritten: (shapes, forgotten) => metrics.trafficWritten(shapes, forgotten),
  });
}
