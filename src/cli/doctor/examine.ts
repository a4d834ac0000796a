/** Runs all checks of `doctor`, in the order of the output. */
import { request } from 'undici';
import type { Running } from '../../admin/read-routers';
import type { Config } from '../../config';
import type { Secret } from '../../domain/credentials';
import { errorText } from '../../domain/shown-words';
import { adminUrl, askAdmin } from '../running-gateway';
import { checkFolderUnlessKnown } from '../known-set';
import { checkAdmin, checkProxies, checkRunning } from './check-gateway';
import { checkDatabase, checkDataFolder, checkJournal, checkMachine, checkMappings, checkSecrets } from './check-machine';
import { checkKey, checkReach, checkTls } from './check-v1';
import { mend, type Check, type Finding, type FoundGateway, type CheckInput } from './finding';

export const CHECKS: readonly (readonly [name: string, Check])[] = [
  ['gateway', checkRunning],
  ['v1', checkReach],
  ['certificate', checkTls],
  ['key', checkKey],
  ['proxies', checkProxies],
  ['admin port', checkAdmin],
  ['data folder', checkDataFolder],
  ['journal', checkJournal],
  ['database', checkDatabase],
  ['secrets', checkSecrets],
  ['mappings', checkMappings],
  ['machine', checkMachine],
];

export interface Named extends Finding {
  readonly check: string;
}

export async function examine(config: Config, key: Secret | undefined): Promise<readonly Named[]> {
  const input: CheckInput = {
    ...{ config, key, now: Date.now },
    found: await findGateway(config),
    mapping: checkFolderUnlessKnown(config.mappingsDir, config.dataDir).mapping,
  };
  const found: Named[] = [];
  for (const [check, run] of CHECKS) {
    // A check that throws becomes a finding, so that the other checks still run.
    const findings = await Promise.resolve()
      .then(() => run(input))
      .catch((error: unknown) =>
        mend(`This check failed: ${errorText(error)}`, 'The result of this check is not known.', 'Report it to the maintainers.'),
      );
    found.push(...[findings].flat().map((finding) => ({ check, ...finding })));
  }
  return found;
}

async function findGateway(config: Config): Promise<FoundGateway> {
  const answer = await askAdmin(config, 'GET', '/running').catch(() => undefined);
  if (answer === undefined) return { kind: 'none' };
  if (answer.status !== 200) return { kind: 'refused' };
  const { status, body } = await askAdmin(config, 'GET', '/readyz');
  const waitingFor = body['waiting_for'];
  return {
    kind: 'running',
    running: answer.body as unknown as Running,
    readyz: { status, waitingFor: Array.isArray(waitingFor) ? waitingFor.map(String) : [] },
    metrics: await (await request(`${adminUrl(config)}/metrics`)).body.text(),
  };
}
