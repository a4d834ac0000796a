/** Compiles kinds of callers, recognised by headers, and single callers, recognised by the fingerprint of their key. */
import { parseNaira } from '../domain/amount';
import { headerOf, type LegacyHeaders } from '../domain/legacy';
import { compileValue, type ValueContext } from './compile-value';
import { compilePattern } from './signals';
import { sandboxScopeOf } from './caller-name';
import type { CallerKey, CallerKind, ListShape, Operation } from './mapping';
import type { AfterPending, CallerKeySource, CallerKindSource, ValueSource } from './language/schema';
import type { MappingSource } from './source';
import { nearestHint } from './nearest-name';
import { columnsOf, createOwnNumbers, type OwnNumbers } from './numbering';
import type { YamlPath } from './read-yaml';

export function compileCallers(source: MappingSource, context: ValueContext) {
  const { report } = context;
  const kinds = Object.entries(source.callers.kinds).map(([name, kind]) => ({
    kind: { name, patienceMs: kind.patience, afterPending: kind.after_pending } satisfies CallerKind,
    // A kind without User-Agents and headers applies to every other caller.
    matches: kind.user_agents === undefined && kind.headers === undefined ? undefined : compileKind(kind),
  }));
  const rest = kinds.find(({ matches }) => matches === undefined);
  if (rest === undefined)
    report(
      ['callers', 'kinds'],
      'no-default-kind',
      'one kind of caller must have neither `user_agents` nor `headers`: it is for all other callers',
    );
  for (const { kind } of kinds.filter((one) => one.matches === undefined && one !== rest))
    report(
      ['callers', 'kinds', kind.name],
      'second-default-kind',
      `\`${rest!.kind.name}\` already has neither \`user_agents\` nor \`headers\`: only one kind can be for all other callers`,
    );
  const callerKeys = new Map(
    Object.entries(source.callers.keys).flatMap(([fingerprint, said]): [string, CallerKey][] => {
      const key = compileCallerKey(fingerprint, said, source, context);
      // Every key gets a sandbox entry, even if it is not sandboxed now: its earlier sandbox orders are still shown under that fingerprint.
      const inSandbox = { ...key, fingerprint: sandboxScopeOf(fingerprint), sandboxOf: fingerprint, walletBelow: undefined };
      return [
        [fingerprint, key],
        [inSandbox.fingerprint, inSandbox],
      ];
    }),
  );
  return {
    callerKeys,
    callerKindOf: (headers: LegacyHeaders): CallerKind => {
      for (const { kind, matches } of kinds) if (matches?.(headers) === true) return kind;
      return rest?.kind ?? { name: 'other', patienceMs: 0, afterPending: undefined };
    },
  };
}

function compileKind({
  user_agents: agents = ['*'],
  headers: names = [],
}: CallerKindSource): (headers: LegacyHeaders) => boolean {
  const patterns = agents.map(compilePattern);
  return (headers) => {
    const agent = headers.userAgent?.trim().toLowerCase() ?? '';
    return patterns.some((matches) => matches(agent)) && names.every((name) => headerOf(headers, name) !== undefined);
  };
}

/** The name that holds the value for every operation without an entry of its own. */
export const DEFAULT = 'default';

function compileCallerKey(fingerprint: string, key: CallerKeySource, source: MappingSource, context: ValueContext): CallerKey {
  const path = ['callers', 'keys', fingerprint];
  if (key.format !== undefined && !source.formats.has(key.format))
    context.report([...path, 'format'], 'unknown-format', `there is no format \`${key.format}\``);
  const family = key.family === undefined ? undefined : source.families[key.family];
  if (key.family !== undefined && family === undefined)
    context.report(
      [...path, 'family'],
      'unknown-family',
      `there is no family \`${key.family}\``,
      nearestHint(key.family, Object.keys(source.families)),
    );
  if (family !== undefined && key.format !== undefined && key.format !== family.extends)
    context.report(
      [...path, 'family'],
      'family-of-other-format',
      `the family \`${key.family!}\` is of format \`${family.extends}\``,
      { hint: 'leave `format` out: the family brings its own' },
    );
  const numbers = compileNumbers(key, path, context);
  return {
    ...plainCallerKey(fingerprint, key),
    format: key.format ?? family?.extends,
    numbers,
    columns: columnsOf(numbers.keys(), source, context.tables),
    lists: compileLists(key, path, context),
  };
}

const PAUSED_TEXT = 'Sales of this account are paused. Nothing was charged. Please ask your provider.';

/** A key without own numbers and lists; by default one without an entry in callers.yaml. */
export function plainCallerKey(fingerprint: string, key: CallerKeySource = {}): CallerKey {
  const { title, note, contact, paused = false, limit, sandbox = false, wallet_below: walletBelow, replay } = key;
  return {
    fingerprint,
    title,
    note,
    contact,
    pausedText: paused === true ? PAUSED_TEXT : paused === false ? undefined : paused,
    limit: limit && {
      purchasesPerMinute: limit.purchases ?? Infinity,
      nairaPerDay: limit.naira === undefined ? undefined : parseNaira(limit.naira),
    },
    isSandboxed: sandbox,
    sandboxOf: undefined,
    walletBelow: walletBelow === undefined ? undefined : parseNaira(walletBelow),
    format: key.format,
    family: key.family,
    hasGuard: key.guard !== 'off',
    patienceOf: byOperation<number>(key.patience),
    afterPendingOf: byOperation<AfterPending>(key.after_pending),
    replayMs: replay === 'always' ? Infinity : replay,
    numbers: new Map(),
    columns: new Map(),
    lists: new Map(),
  };
}

/** Reads one value for every operation, or values by operation with `default`. */
function byOperation<T extends string | number>(
  said: T | Readonly<Record<string, T>> | undefined,
): (operation: string) => T | undefined {
  const values = new Map<string, T>(
    said === undefined ? [] : typeof said === 'object' ? Object.entries<T>(said) : [[DEFAULT, said]],
  );
  return (operation) => values.get(operation) ?? values.get(DEFAULT);
}

function compileNumbers(key: CallerKeySource, path: YamlPath, context: ValueContext): Map<string, OwnNumbers> {
  const compiled = new Map<string, OwnNumbers>();
  for (const [name, numbers] of Object.entries(key.numbers ?? {})) {
    const table = context.tables.get(name);
    // The check reports this with the name that was most likely meant.
    if (table === undefined) continue;
    const onUnknown = (number: string, expected: string): void =>
      context.report(
        [...path, 'numbers', name, number],
        'unknown-value',
        `\`${numbers[number]!}\` is none: expected ${expected}`,
      );
    compiled.set(name, createOwnNumbers(table, numbers, key.unlisted?.[name] === 'pass', onUnknown));
  }
  return compiled;
}

function compileLists(key: CallerKeySource, path: YamlPath, context: ValueContext): Map<string, ListShape> {
  const asList: ValueContext = { ...context, allowList: true };
  return new Map(
    Object.entries(key.lists ?? {}).map(([operation, fields]): [string, ListShape] => {
      const at = [...path, 'lists', operation];
      const value = compileValue(fields, at, asList);
      const build: ListShape['build'] = (list, scope) => {
        const made = value({ ...scope, roots: { ...scope.roots, list } });
        // A shape whose condition does not hold leaves the list as it is.
        return made !== null && typeof made === 'object' ? made : list;
      };
      return [operation, { build, sources: sourcesOf(fields, at) }];
    }),
  );
}

function sourcesOf(fields: Readonly<Record<string, ValueSource>>, path: YamlPath): ListShape['sources'] {
  const isOneValue = 'first' in fields || 'when' in fields || 'each' in fields;
  if (isOneValue) return [{ field: '', value: fields, path }];
  return Object.entries(fields).map(([field, value]) => ({ field, value, path: [...path, field] }));
}

/**
 * Whether an order without a final outcome may still be bought once its script has heard "pending". The entry of the key decides if it has
 * `after_pending`. Otherwise the operation, the format and the kind of caller count: `buy` needs at least one `buy` and no `look`.
 */
export function afterPendingOf(operation: Operation, format: string, kind: CallerKind, key: CallerKey | undefined): AfterPending {
  const own = key?.afterPendingOf(operation.name);
  if (own !== undefined) return own;
  const said = [operation.afterPending, operation.afterPendingByFormat.get(format), kind.afterPending];
  return said.includes('buy') && !said.includes('look') ? 'buy' : 'look';
}
