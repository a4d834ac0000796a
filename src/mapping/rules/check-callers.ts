/** Kinds of callers, how long they wait, and the times of an order. */
import type { YamlPath } from '../read-yaml';
import type { Checking } from './checking';

/** The shortest limit seen in clients that are no plain PHP. */
const OTHERS_WAIT_MS = 5_000;
/** nginx and Apache give up on PHP after a minute unless told otherwise. */
const PHP_WAITS_MS = 60_000;
const HUGE_MS = 10 * 60_000;
/** What is measured in hours by nature. */
const HUGE_SLOW_MS = 7 * 24 * 60 * 60_000;
const SLOW: readonly string[] = ['overdue', 'quiet', 'window'];

export function checkCallers(checking: Checking): void {
  const { source } = checking;
  for (const [name, kind] of Object.entries(source.callerKinds))
    checkPatience(kind.patience, kind.user_agents !== undefined, ['callers', 'kinds', name, 'patience'], checking);
  for (const [name, operation] of Object.entries(source.operations))
    for (const [kind, patience] of Object.entries(operation.patience ?? {})) {
      const known = source.callerKinds[kind];
      checkPatience(
        patience,
        known === undefined || known.user_agents !== undefined,
        ['operations', name, 'patience', kind],
        checking,
      );
    }
  for (const [fingerprint, { patience = {} }] of Object.entries(source.callerKeys)) {
    const path = ['callers', 'keys', fingerprint, 'patience'];
    // The operator knows this one script.
    if (typeof patience === 'number') checkPatience(patience, true, path, checking);
    else for (const [name, one] of Object.entries(patience)) checkPatience(one, true, [...path, name], checking);
  }
  checkKinds(checking);
  checkTiming(checking);
}

function checkPatience(patienceMs: number, isPhp: boolean, path: YamlPath, { source, report }: Checking): void {
  if (patienceMs > source.timing.pursue)
    report(path, 'patience-beyond-pursuit', `an order is pursued for ${source.timing.pursue / 1000} s`);
  const limit = isPhp ? PHP_WAITS_MS : OTHERS_WAIT_MS;
  if (patienceMs >= limit) report(path, 'patience-too-long', `such callers give up after ${limit / 1000} s`);
}

/** Kinds are tried in order: a User-Agent that an earlier one claims is never reached. */
function checkKinds({ source, report }: Checking): void {
  const earlier: { readonly kind: string; readonly pattern: string }[] = [];
  for (const [kind, { user_agents: agents }] of Object.entries(source.callerKinds)) {
    for (const [index, agent] of (agents ?? []).entries()) {
      const pattern = agent.toLowerCase();
      const owner = earlier.find((one) => covers(one.pattern, pattern));
      if (owner !== undefined)
        report(
          ['callers', 'kinds', kind, 'user_agents', index],
          'kind-unreachable',
          `\`${agent}\` is a caller of kind \`${owner.kind}\` already`,
        );
      earlier.push({ kind, pattern });
    }
  }
}

function covers(pattern: string, other: string): boolean {
  return pattern.endsWith('*') ? other.startsWith(pattern.slice(0, -1)) : pattern === other;
}

function checkTiming({ source, report }: Checking): void {
  const times: (readonly [string, number, YamlPath])[] = [
    ...Object.entries(source.timing).map(([name, ms]) => [name, ms, ['timing', name]] as const),
    ['window', source.lookupKey.window, ['lookup_key', 'window']],
    ...Object.entries(source.callerKinds).map(
      ([name, { patience }]) => ['patience', patience, ['callers', 'kinds', name, 'patience']] as const,
    ),
  ];
  for (const [name, ms, path] of times) {
    if (ms === 0 && name !== 'reconnect') report(path, 'duration-zero', `\`${name}\` is no time at all`);
    if (ms > (SLOW.includes(name) ? HUGE_SLOW_MS : HUGE_MS)) report(path, 'duration-huge', `\`${name}\` is ${spell(ms)}`);
  }
  const { quiet, try: one } = source.timing;
  if (quiet < one) report(['timing', 'quiet'], 'quiet-too-short', `one try may take ${spell(one)}, and quiet is ${spell(quiet)}`);
}

function spell(ms: number): string {
  const units = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
    [1000, 'seconds'],
  ] as const;
  const [size, name] = units.find(([unit]) => ms >= unit) ?? [1, 'ms'];
  return `${Math.round((ms / size) * 10) / 10} ${name}`;
}
