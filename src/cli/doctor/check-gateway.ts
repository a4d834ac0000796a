/** Checks whether the running gateway is ready, has these settings, and is reached as it should be. */
import { describeConfig } from '../../config';
import { isLoopback } from '../../start/config-values';
import { mend, note, well, type Check, type Finding, type Found } from './finding';

const TOKEN_LENGTH_MIN = 16;
const WEAK_TOKEN = /^(?:admin|secret|password|changeme|token|test|1234)/i;
/** A network with a prefix shorter than this contains more than the proxies of one owner. */
const WIDE_BITS = { 4: 16, 6: 48 } as const;

export const checkRunning: Check = ({ found, config }) => {
  const place = `${config.adminHost}:${config.adminPort}`;
  if (found.kind === 'none')
    return note(
      `No gateway answers at ${place}.`,
      'Checks that need a running gateway were left out.',
      'Start the gateway and run this command again.',
    );
  if (found.kind === 'refused')
    return mend(
      `The server at ${place} does not accept the ADMIN_TOKEN of these settings.`,
      'Commands such as reload, plan and record do not reach it.',
      'Run this command with the settings of the gateway, and check that no other program listens there.',
    );
  const { readyz, running } = found;
  if (readyz.status !== 200)
    return mend(
      `The running gateway is not ready: it waits for ${readyz.waitingFor.join(', ')}.`,
      'No order is taken.',
      readyz.waitingFor.includes('journal')
        ? 'Check the disk of DATA_DIR or of the journal (full, read-only or broken), or the database of JOURNAL_URL.'
        : 'Wait until it has started or stopped.',
    );
  return [
    well(`A gateway runs and is ready, on Node ${running.node.slice(1)}, for scripts at ${running.publicUrl}.`),
    differences(found.running, config),
  ].flat();
};

function differences(
  running: { settings: readonly { name: string; value: string }[] },
  config: Parameters<typeof describeConfig>[0],
): Found {
  const here = new Map(describeConfig(config).map(({ name, value }) => [name, value]));
  const other = running.settings.filter(({ name, value }) => here.get(name) !== undefined && here.get(name) !== value);
  if (other.length === 0) return [];
  return mend(
    `The gateway runs with other settings than these: ${other.map(({ name, value }) => `${name} is ${value} there, ${here.get(name)!} here`).join('; ')}.`,
    'Changed settings apply from the next start on; this command did not check the settings that are in use.',
    'Restart the gateway, or run commands with its settings.',
  );
}

export const checkAdmin: Check = ({ config: { adminHost, adminToken } }) => {
  const token = adminToken?.revealForUseOnly();
  if (token !== undefined && (token.length < TOKEN_LENGTH_MIN || WEAK_TOKEN.test(token)))
    return mend(
      'ADMIN_TOKEN is easily guessed.',
      'Whoever has the token can replace the mappings, and so decide what is sold.',
      'Set 32 random characters: openssl rand -hex 16.',
    );
  if (!isLoopback(adminHost))
    return note(
      `ADMIN_HOST is ${adminHost}.`,
      'Everybody who reaches that address can read probes and metrics, and the token crosses the network unencrypted.',
      'Let only your own network reach that address, or keep 127.0.0.1 and a tunnel.',
    );
  return well(token === undefined ? 'The admin server is open on this machine only.' : 'The admin server asks for a token.');
};

export const checkProxies: Check = ({ config: { trustedProxies }, found }) => {
  const ignored = found.kind === 'running' ? counterIn(found.metrics, 'compat_forwarded_ignored_total') : 0;
  const wide = trustedProxies.filter(isWide);
  const findings: Finding[] = [];
  if (ignored > 0)
    findings.push(
      mend(
        `${ignored} requests came with X-Forwarded-For from an address that is not a trusted proxy.`,
        'If you have a proxy in front, v1 sees its address instead of that of the script: keys that are locked to addresses are refused, and all scripts share one limit.',
        trustedProxies.length === 0
          ? 'Set TRUSTED_PROXIES to the address of the proxy. If there is no proxy, let the firewall block strangers who send that header.'
          : 'Add the address of the proxy to TRUSTED_PROXIES.',
      ),
    );
  if (wide.length > 0)
    findings.push(
      mend(
        `TRUSTED_PROXIES is wide: ${wide.join(', ')}.`,
        'Each machine in these networks can claim any client address, and buy without a PIN with a key that is locked to addresses.',
        'Name the proxies one by one, or their own network.',
      ),
    );
  if (findings.length > 0) return findings;
  return well(
    trustedProxies.length === 0 ? 'No proxy is trusted, and none was seen.' : `Trusted proxies: ${trustedProxies.join(', ')}.`,
  );
};

function isWide(network: string): boolean {
  const bits = /\/(\d+)$/.exec(network)?.[1];
  return bits !== undefined && Number(bits) < WIDE_BITS[network.includes(':') ? 6 : 4];
}

/** The value of a counter on the page of metrics; 0 if absent. */
function counterIn(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0);
}
