/** Kinds of callers, how long they wait, and the times of an order. */
import type { YamlPath } from '../read-yaml';
import type { CallerKindSource } from '../language/schema';
import type { Checking } from './checking';

/** The limit that Guzzle, httpx and most axios services set; the few with less are named by their key. */
const OTHERS_WAIT_MS = 30_000;
/** nginx and Apache give up on PHP after a minute unless told otherwise. */
const PHP_WAITS_MS = 60_000;
const HUGE_MS = 10 * 60_000;
/** Settings whose usual values are hours. */
const HUGE_SLOW_MS = 7 * 24 * 60 * 60_000;
/** v1 asks its provider again about an order that is pending for longer (specification, section 4). */
const QUIET_MIN_MS = 2 * 60_000;
const SLOW: readonly string[] = ['overdue', 'pursue', 'quiet', 'window', 'replay'];

export function checkCallers(checking: Checking): void {
  const { source } = checking;
  for (const [name, kind] of Object.entries(source.callers.kinds))
    checkPatience(kind.patience, isPhp(kind), ['callers', 'kinds', name, 'patience'], checking);
  for (const [name, operation] of Object.entries(source.operations))
    for (const [kind, patience] of Object.entries(operation.patience ?? {})) {
      const known = source.callers.kinds[kind];
      checkPatience(patience, known === undefined || isPhp(known), ['operations', name, 'patience', kind], checking);
    }
  for (const [fingerprint, { patience = {} }] of Object.entries(source.callers.keys)) {
    const path = ['callers', 'keys', fingerprint, 'patience'];
    // A limit for one key comes from an operator who knows its script.
    if (typeof patience === 'number') checkPatience(patience, true, path, checking);
    else for (const [name, one] of Object.entries(patience)) checkPatience(one, true, [...path, name], checking);
  }
  // How long the scripts of a family wait was read from their sources.
  for (const [id, { patience, operations = {} }] of Object.entries(source.families)) {
    checkLongest(patience, ['families', id, 'patience'], checking);
    for (const [name, own] of Object.entries(operations))
      checkLongest(own.patience, ['families', id, 'operations', name, 'patience'], checking);
  }
  checkKinds(checking);
  checkTiming(checking);
}

function checkLongest(patienceMs: number | undefined, path: YamlPath, checking: Checking): void {
  if (patienceMs === undefined) return;
  checkPursued(patienceMs, path, checking);
  if (patienceMs > HUGE_MS) checking.report(path, 'duration-huge', `\`patience\` is ${spell(patienceMs)}`);
}

function checkPursued(patienceMs: number, path: YamlPath, { source, report }: Checking): void {
  if (patienceMs > source.timing.pursue)
    report(path, 'patience-beyond-pursuit', `an order is pursued for ${source.timing.pursue / 1000} s`);
}

/** PHP sends no User-Agent unless told to. */
function isPhp({ user_agents: agents = [] }: CallerKindSource): boolean {
  return agents.some((agent) => agent === '' || /^php/i.test(agent));
}

function checkPatience(patienceMs: number, isOfPhp: boolean, path: YamlPath, checking: Checking): void {
  checkPursued(patienceMs, path, checking);
  const limit = isOfPhp ? PHP_WAITS_MS : OTHERS_WAIT_MS;
  if (patienceMs >= limit) checking.report(path, 'patience-too-long', `such callers give up after ${limit / 1000} s`);
}

/** Kinds are tried in order: a User-Agent that an earlier one claims is never reached. */
function checkKinds({ source, report }: Checking): void {
  const earlier: { readonly kind: string; readonly pattern: string; readonly headers: readonly string[] }[] = [];
  for (const [kind, { user_agents: agents, headers: names = [] }] of Object.entries(source.callers.kinds)) {
    const headers = names.map((name) => name.toLowerCase());
    for (const [index, agent] of (agents ?? []).entries()) {
      const pattern = agent.toLowerCase();
      const owner = earlier.find(
        (one) => covers(one.pattern, pattern) && one.headers.every((header) => headers.includes(header)),
      );
      if (owner !== undefined)
        report(
          ['callers', 'kinds', kind, 'user_agents', index],
          'kind-unreachable',
          `\`${agent}\` is a caller of kind \`${owner.kind}\` already`,
        );
      earlier.push({ kind, pattern, headers });
    }
  }
}

function covers(pattern: string, other: string): boolean {
  return pattern.endsWith('*') ? other.startsWith(pattern.slice(0, -1)) : pattern === other;
}

function checkTiming({ source, report }: Checking): void {
  const times: (readonly [string, number, YamlPath])[] = [
    ...Object.entries(source.timing).map(([name, ms]) => [name, ms as number, ['timing', name]] as const),
    ['window', source.lookup_key.window, ['lookup_key', 'window']],
    ['remember', source.lookup_key.remember ?? 1, ['lookup_key', 'remember']],
    ...Object.entries(source.callers.kinds).map(
      ([name, { patience }]) => ['patience', patience, ['callers', 'kinds', name, 'patience']] as const,
    ),
  ];
  for (const [name, ms, path] of times) {
    if (ms === 0 && name !== 'reconnect') report(path, 'duration-zero', `\`${name}\` is no time at all`);
    if (ms > (SLOW.includes(name) ? HUGE_SLOW_MS : HUGE_MS)) report(path, 'duration-huge', `\`${name}\` is ${spell(ms)}`);
  }
  const { quiet, try: one } = source.timing;
  if (quiet < one || quiet < QUIET_MIN_MS)
    report(['timing', 'quiet'], 'quiet-too-short', `one try may take ${spell(one)}, and quiet is ${spell(quiet)}`);
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
