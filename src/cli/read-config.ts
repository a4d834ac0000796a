import { loadConfig, processEnv, type Config, type LoadedConfig } from '../config';

/** The settings in force; throws one sentence per problem. */
export function readConfig(): Extract<LoadedConfig, { config: Config }> {
  const loaded = loadConfig(processEnv(), process.cwd());
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded;
}
