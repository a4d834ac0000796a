/** Times so short that orders end as pending, or as never sent, while v1 is still at work. */
import type { YamlPath } from '../../read-yaml';
import type { Checking } from '../checking';

/** A shorter patience is a typing mistake: every order would be told as pending. */
const PATIENCE_MIN_MS = 2_000;
/** The operator knows this one script; less than a second is a wrong unit. */
const KEY_PATIENCE_MIN_MS = 1_000;
/** An attempt that is given up while v1 works on it leaves an order whose outcome is unknown. */
const TRY_MIN_MS = 2_000;
const READ_MIN_MS = 1_000;

export function checkTimes({ source, report }: Checking): void {
  const check = (ms: number, least: number, path: YamlPath): void => {
    if (ms > 0 && ms < least)
      report(path, 'patience-too-short', `${spell(ms)} is too short for an order: at least ${spell(least)}`);
  };
  for (const [name, { patience, user_agents: agents, headers }] of Object.entries(source.callers.kinds)) {
    const path = ['callers', 'kinds', name];
    check(patience, PATIENCE_MIN_MS, [...path, 'patience']);
    for (const [index, agent] of (agents ?? []).entries())
      if (agent === '*' && headers === undefined)
        report([...path, 'user_agents', index], 'kind-takes-everybody', `everybody would be a caller of kind \`${name}\``);
  }
  for (const [name, { patience }] of Object.entries(source.operations))
    for (const [kind, ms] of Object.entries(patience ?? {})) check(ms, PATIENCE_MIN_MS, ['operations', name, 'patience', kind]);
  for (const [fingerprint, { patience = {} }] of Object.entries(source.callers.keys)) {
    const path = ['callers', 'keys', fingerprint, 'patience'];
    if (typeof patience === 'number') check(patience, KEY_PATIENCE_MIN_MS, path);
    else for (const [name, ms] of Object.entries(patience)) check(ms, KEY_PATIENCE_MIN_MS, [...path, name]);
  }
  const { try: one, read } = source.timing;
  for (const [name, ms, least] of [
    ['try', one, TRY_MIN_MS],
    ['read', read, READ_MIN_MS],
  ] as const)
    if (ms > 0 && ms < least) report(['timing', name], 'try-too-short', `\`${name}\` of ${spell(ms)}: at least ${spell(least)}`);
}

const spell = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);
