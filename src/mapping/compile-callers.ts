/** Kinds of callers, told by wire facts, and single callers, told by the fingerprint of their key. */
import { headerOf, type LegacyHeaders } from '../domain/legacy';
import { compileCallerKey } from './compile-caller-key';
import type { ValueContext } from './compile-value';
import { compilePattern } from './header-pattern';
import type { CallerKey, CallerKind } from './mapping';
import type { CallerKindSource } from './language/schema';
import type { MappingSource } from './source';

export interface Callers {
  readonly callerKeys: ReadonlyMap<string, CallerKey>;
  readonly callerKindOf: (headers: LegacyHeaders) => CallerKind;
}

export function compileCallers(source: MappingSource, context: ValueContext): Callers {
  const { report } = context;
  const kinds = Object.entries(source.callers.kinds).map(([name, kind]) => ({
    name,
    patienceMs: kind.patience,
    afterPending: kind.after_pending,
    // A kind without User-Agents and headers applies to every other caller.
    matches: kind.user_agents === undefined && kind.headers === undefined ? undefined : compileKind(kind),
  }));
  const rest = kinds.find((kind) => kind.matches === undefined);
  if (rest === undefined)
    report(
      ['callers', 'kinds'],
      'no-default-kind',
      'one kind of caller must be without `user_agents` and `headers`: it is everybody else',
    );
  for (const { name } of kinds.filter((kind) => kind.matches === undefined && kind !== rest))
    report(
      ['callers', 'kinds', name],
      'second-default-kind',
      `\`${rest!.name}\` is told by nothing already: only one kind can be everybody else`,
      { at: 'key' },
    );
  const callerKeys = new Map(
    Object.entries(source.callers.keys).map(([fingerprint, key]): [string, CallerKey] => [
      fingerprint,
      compileCallerKey(fingerprint, key, source, context),
    ]),
  );
  return {
    callerKeys,
    callerKindOf: (headers) => {
      const kind = kinds.find((one) => one.matches?.(headers) === true) ?? rest;
      return { name: kind?.name ?? 'other', patienceMs: kind?.patienceMs ?? 0, afterPending: kind?.afterPending };
    },
  };
}

function compileKind({
  user_agents: agents = ['*'],
  headers: names = [],
}: CallerKindSource): (headers: LegacyHeaders) => boolean {
  const patterns = agents.map(compilePattern);
  return (headers) => {
    const agent = headers.userAgent?.trim() ?? '';
    return patterns.some((matches) => matches(agent)) && names.every((name) => headerOf(headers, name) !== undefined);
  };
}
