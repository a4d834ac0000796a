/** Kinds of callers, told by wire facts, and single callers, told by the fingerprint of their key. */
import { compileCallerKey } from './compile-caller-key';
import type { ValueContext } from './compile-value';
import type { CallerKey, CallerKind } from './mapping';
import type { MappingSource } from './source';

export interface Callers {
  readonly callerKeys: ReadonlyMap<string, CallerKey>;
  readonly callerKindOf: (userAgent: string | undefined) => CallerKind;
}

export function compileCallers(source: MappingSource, context: ValueContext): Callers {
  const { report } = context;
  const kinds = Object.entries(source.callerKinds).map(([name, kind]) => ({
    name,
    patienceMs: kind.patience,
    // A kind without User-Agents is everybody else.
    matches: kind.user_agents === undefined ? undefined : kind.user_agents.map(compilePattern),
  }));
  const rest = kinds.find((kind) => kind.matches === undefined);
  if (rest === undefined)
    report(['callers', 'kinds'], 'no-default-kind', 'one kind of caller must be without `user_agents`: it is everybody else');
  for (const { name } of kinds.filter((kind) => kind.matches === undefined && kind !== rest))
    report(
      ['callers', 'kinds', name],
      'second-default-kind',
      `\`${rest!.name}\` is without \`user_agents\` already: only one kind can be everybody else`,
      { at: 'key' },
    );
  const callerKeys = new Map(
    Object.entries(source.callerKeys).map(([fingerprint, key]): [string, CallerKey] => [
      fingerprint,
      compileCallerKey(fingerprint, key, source, context),
    ]),
  );
  return {
    callerKeys,
    callerKindOf: (userAgent) => {
      const agent = userAgent?.trim() ?? '';
      const kind = kinds.find((one) => one.matches?.some((matches) => matches(agent)) === true) ?? rest;
      return { name: kind?.name ?? 'other', patienceMs: kind?.patienceMs ?? 0 };
    },
  };
}

function compilePattern(pattern: string): (agent: string) => boolean {
  const lower = pattern.toLowerCase();
  if (!lower.endsWith('*')) return (agent) => agent.toLowerCase() === lower;
  const start = lower.slice(0, -1);
  return (agent) => agent.toLowerCase().startsWith(start);
}
