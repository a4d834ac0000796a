/** Checks kinds of callers and single keys: their patience, unknown names, settings without effect; and the times of an order. */
import { textOf, type JsonValue } from '../../domain/json';
import { DEFAULT } from '../compile-callers';
import { parseExpression } from '../expression';
import type { AfterPending, CallerKeySource, CallerKindSource, ValueSource } from '../language/schema';
import { everyReply, isFields } from '../merge-layers';
import { hintFor } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import { partsAt, type MappingSource } from '../source';
import { reportTwins, reportUnknownKey, type Checking } from './checking';
import type { RuleId } from './rules';
import { listOfEach, walkValue } from './walk-value';

/** The limit that Guzzle, httpx and most axios services set. The few services with a lower limit have an entry for their key. */
const OTHERS_WAIT_MS = 30_000;
/** By default nginx and Apache give up on PHP after a minute. */
const PHP_WAITS_MS = 60_000;
/** A shorter patience is a typing mistake: every order would be told as pending. */
const PATIENCE_MIN_MS = 2_000;
/** The bound for a single key is lower, because the operator knows that script. Less than a second is a wrong unit. */
const KEY_PATIENCE_MIN_MS = 1_000;
/** An attempt that is given up while v1 works on it leaves an order whose outcome is unknown. */
const TRY_MIN_MS = 2_000;
const READ_MIN_MS = 1_000;
const HUGE_MS = 10 * 60_000;
/** Settings whose usual values are hours. */
const HUGE_SLOW_MS = 7 * 24 * 60 * 60_000;
/** v1 asks its provider again about an order that is pending for longer (specification, section 4). */
const QUIET_MIN_MS = 2 * 60_000;
/** The longest limit of scripts (node's fetch): a script sends a sale without an id again after it has hung up. */
const REPLAY_MIN_MS = 5 * 60_000;
/** The list of told sales and the marks of a dead process's orders count on these two (`TELLING_MS` and `UNMARKED_MAX_MS` of the journal). */
const MOST = [
  ['try', 60_000],
  ['replay', 10 * 60_000],
] as const;
const SLOW: readonly string[] = ['overdue', 'pursue', 'quiet', 'window', 'replay'];

export function checkCallers(checking: Checking): void {
  const { source, report } = checking;
  for (const { ms, least, most, path } of patiences(source)) {
    checkPatience(ms, least, path, checking);
    if (ms >= most) report(path, 'patience-too-long', `such callers give up after ${most / 1000} s`);
  }
  // The patience of a family was read from the sources of its scripts, so no usual upper limit of callers applies.
  for (const pattern of ['families.*.patience', 'families.*.operations.*.patience'] as const)
    for (const { value: ms, path } of partsAt(source, pattern)) checkPatience(ms, KEY_PATIENCE_MIN_MS, path, checking);
  checkKinds(checking);
  checkTiming(checking);
}

function checkPatience(ms: number, leastMs: number, path: YamlPath, { source, report }: Checking): void {
  if (ms === 0) report(path, 'duration-zero', '`patience` is zero');
  else if (ms < leastMs)
    report(path, 'patience-too-short', `${spellShort(ms)} is too short for an order: expected at least ${spellShort(leastMs)}`);
  if (ms > source.timing.pursue)
    report(path, 'patience-beyond-pursuit', `an order is pursued for ${source.timing.pursue / 1000} s`);
  if (ms > HUGE_MS) report(path, 'duration-huge', `\`patience\` is ${spell(ms)}`);
}

/** Each patience with its bounds, in ms. */
function patiences(source: MappingSource) {
  const { kinds } = source.callers;
  const ofKind = (kind: CallerKindSource | undefined, ms: number, path: YamlPath) => {
    const most = kind === undefined || isPhp(kind) ? PHP_WAITS_MS : OTHERS_WAIT_MS;
    return { ms, path, least: PATIENCE_MIN_MS, most };
  };
  return [
    ...partsAt(source, 'callers.kinds.*.patience').map(({ value: ms, path, names }) => ofKind(kinds[names[0]], ms, path)),
    ...partsAt(source, 'operations.*.patience.*').map(({ value: ms, path, names }) => ofKind(kinds[names[1]], ms, path)),
    // A limit for one key comes from an operator who knows its script.
    ...partsAt(source, 'callers.keys.*.patience').flatMap(({ value, path }) =>
      placedByOperation<number>(value, path).map(([, ms, at]) => ({
        ms,
        path: at,
        least: KEY_PATIENCE_MIN_MS,
        most: PHP_WAITS_MS,
      })),
    ),
  ];
}

/** One value for every operation, or values by operation, each with the name of its operation and its place. */
function placedByOperation<T extends string | number>(
  said: T | Readonly<Record<string, T>>,
  path: YamlPath,
): (readonly [string, T, YamlPath])[] {
  if (typeof said !== 'object') return [[DEFAULT, said, path]];
  return Object.entries<T>(said).map(([name, value]) => [name, value, [...path, name]]);
}

/** Whether callers of the kind may be PHP scripts. By default PHP sends no User-Agent. */
function isPhp({ user_agents: agents = [] }: CallerKindSource): boolean {
  return agents.some((agent) => agent === '' || /^php/i.test(agent));
}

/** Kinds are tried in order, so a User-Agent that an earlier kind also matches never selects the later kind. */
function checkKinds({ source, report }: Checking): void {
  const earlier: { readonly kind: string; readonly pattern: string; readonly headers: readonly string[] }[] = [];
  for (const { value, path, names } of partsAt(source, 'callers.kinds.*')) {
    const [kind] = names;
    const headers = (value.headers ?? []).map((name) => name.toLowerCase());
    // A kind that has only headers takes every User-Agent.
    const any = headers.length === 0 ? [] : [['*', path] as const];
    for (const [agent, at] of value.user_agents?.map((one, index) => [one, [...path, 'user_agents', index]] as const) ?? any) {
      const pattern = agent.toLowerCase();
      const owner = earlier.find(
        (one) => covers(one.pattern, pattern) && one.headers.every((header) => headers.includes(header)),
      );
      if (owner !== undefined) report(at, 'kind-unreachable', `\`${agent}\` is already a caller of kind \`${owner.kind}\``);
      earlier.push({ kind, pattern, headers });
      if (agent === '*' && headers.length === 0) report(at, 'kind-takes-everybody', `every caller would be of kind \`${kind}\``);
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
  ];
  for (const [name, ms, path] of times) {
    if (ms === 0 && name !== 'reconnect') report(path, 'duration-zero', `\`${name}\` is zero`);
    if (ms > (SLOW.includes(name) ? HUGE_SLOW_MS : HUGE_MS)) report(path, 'duration-huge', `\`${name}\` is ${spell(ms)}`);
  }
  const { quiet, try: one, read, replay = REPLAY_MIN_MS } = source.timing;
  if (replay > 0 && replay < REPLAY_MIN_MS)
    report(['timing', 'replay'], 'replay-too-short', `\`replay\` is ${spell(replay)}: expected at least ${spell(REPLAY_MIN_MS)}`);
  for (const [name, most] of MOST) {
    const ms = source.timing[name] ?? 0;
    if (ms > most) report(['timing', name], 'timing-too-long', `\`${name}\` is ${spell(ms)}: expected at most ${spell(most)}`);
  }
  if (quiet < one || quiet < QUIET_MIN_MS)
    report(
      ['timing', 'quiet'],
      'quiet-too-short',
      `\`quiet\` is ${spell(quiet)}: expected at least 2 minutes, and at least \`try\` (${spell(one)})`,
    );
  const attempts = [
    ['try', one, TRY_MIN_MS],
    ['read', read, READ_MIN_MS],
  ] as const;
  for (const [name, ms, least] of attempts)
    if (ms > 0 && ms < least)
      report(['timing', name], 'try-too-short', `\`${name}\` is ${spellShort(ms)}: expected at least ${spellShort(least)}`);
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

const spellShort = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);

export function checkCallerKeys(checking: Checking): void {
  checkTitles(checking);
  for (const [fingerprint, key] of Object.entries(checking.source.callers.keys)) {
    const path = ['callers', 'keys', fingerprint];
    checkNumbers(key, path, checking);
    checkLists(key, path, checking);
    const { patience, replay, after_pending: afterPending } = key;
    if (replay === 0) checking.report([...path, 'replay'], 'duration-zero', '`replay` is zero');
    checkByOperation(patience, ['patience-without-order', ': only purchases are held'], [...path, 'patience'], checking);
    checkByOperation(afterPending, ['after-pending-without-order', ''], [...path, 'after_pending'], checking);
    checkFamily(key, path, checking);
    checkAfterPending(key, path, checking);
  }
}

function checkTitles({ source, report }: Checking): void {
  const owners = new Map<string, string>();
  for (const { value: title, path, names } of partsAt(source, 'callers.keys.*.title')) {
    const owner = owners.get(title.toLowerCase());
    if (owner !== undefined) report(path, 'title-repeated', `the key ${owner.slice(0, 8)}… already has this title`);
    owners.set(title.toLowerCase(), names[0]);
  }
}

/** A family changes replies only. If its scripts have own numbers, the entry of the key must list them. */
function checkFamily({ family = '', numbers = {} }: CallerKeySource, path: YamlPath, { source, report }: Checking): void {
  for (const [table, meanings] of Object.entries(source.families[family]?.numbers ?? {}))
    if (!Object.hasOwn(numbers, table)) {
      const said = Object.entries(meanings).map(([number, value]) => `${number}: ${value}`);
      report(
        [...path, 'family'],
        'family-numbers-unsaid',
        `scripts of \`${family}\` have numbers of their own for \`${table}\``,
        { hint: `add numbers: { ${table}: { ${said.join(', ')} } } to the key` },
      );
    }
}

/** The key decides over its family, whose scripts have refunded or delivered a pending order. */
function checkAfterPending(
  { family = '', after_pending: said = {} }: CallerKeySource,
  path: YamlPath,
  { source, report }: Checking,
): void {
  const { pending: shared, operations = {} } = source.families[family] ?? {};
  for (const [name, after, at] of placedByOperation<AfterPending>(said, [...path, 'after_pending'])) {
    const pending = operations[name]?.pending ?? shared;
    if (pending !== undefined && (pending === 'refunds') !== (after === 'look'))
      report(
        at,
        'after-pending-against-family',
        `family \`${family}\` ${pending} what is pending, and this would ${AFTER[after]}`,
      );
  }
}

const AFTER: Readonly<Record<AfterPending, string>> = { buy: 'still buy it', look: 'no longer buy it' };

function checkNumbers({ numbers = {}, unlisted = {} }: CallerKeySource, path: YamlPath, checking: Checking): void {
  const { source, mapping, report } = checking;
  for (const [name, meanings] of Object.entries(numbers)) {
    const at = [...path, 'numbers', name];
    const isUnknown = reportUnknownKey(name, Object.keys(source.tables), ['table', 'unknown-table'], at, checking);
    if (!isUnknown && Object.keys(meanings).length === 0 && unlisted[name] !== 'pass')
      report(at, 'own-numbers-empty', `every number of \`${name}\` is refused`);
    // Two plan numbers of another server may mean the same plan of ours; two numbers for one network are most likely a mistake.
    const isClosed = Object.keys(source.tables[name]?.values ?? {}).length > 0;
    const owners = new Map<JsonValue | undefined, string>();
    const twins = reportTwins(meanings, at, checking);
    const read = mapping.callerKeys.get(String(path.at(-1)))?.numbers.get(name)?.meanings;
    for (const number of Object.keys(meanings)) {
      const value = read?.get(Number(number));
      const owner = owners.get(value);
      if (isClosed && owner !== undefined && !twins.has(number))
        report([...at, number], 'own-number-twin', `${number} and ${owner} both mean ${textOf(value)}`);
      if (value !== undefined) owners.set(value, number);
    }
  }
  for (const name of Object.keys(unlisted))
    if (!Object.hasOwn(numbers, name))
      report(
        [...path, 'unlisted', name],
        'unlisted-without-numbers',
        `\`numbers\` has no table \`${name}\``,
        hintFor(name, Object.keys(numbers)),
      );
}

function checkLists({ lists = {} }: CallerKeySource, path: YamlPath, checking: Checking): void {
  const { source, report } = checking;
  const known = Object.entries(source.operations).flatMap(([name, { kind }]) => (kind === 'list' ? [name] : []));
  for (const [name, shape] of Object.entries(lists)) {
    const at = [...path, 'lists', name];
    checkOperation(name, at, checking);
    if (name !== DEFAULT && Object.hasOwn(source.operations, name) && !known.includes(name))
      report(at, 'shape-of-no-list', `\`${name}\` is not an operation of kind list`, hintFor(name, known));
    const lists = everyReply(source).flatMap(({ operation, reply }) =>
      operation === name && reply.success !== undefined ? [reply.success] : [],
    );
    if (lists.length > 0 && lists.every(isFields))
      walkValue(shape, at, {
        each: (object, place) => {
          if (listOfEach(object) === 'list')
            report([...place, 'each'], 'each-over-no-list', `the reply of \`${name}\` is an object, and no list of rows`);
        },
      });
    if (!tellsList(shape, at)) report(at, 'shape-without-list', 'this shape does not contain `$list`');
  }
}

function tellsList(shape: ValueSource, path: YamlPath): boolean {
  let isTold = false;
  walkValue(shape, path, {
    expression: ({ root, transforms }, _path, isShown) => {
      if (root === 'list' && isShown && transforms.length === 0) isTold = true;
    },
    each: (object) => {
      if (parseExpression(object['each'])?.root === 'list') isTold = true;
    },
  });
  return isTold;
}

/** Reports a value for an operation that is no purchase: such an operation is neither waited for nor pursued. */
function checkByOperation(
  said: unknown,
  [code, why]: readonly [RuleId, string],
  path: YamlPath,
  { source, report }: Checking,
): void {
  if (typeof said !== 'object' || said === null) return;
  for (const name of Object.keys(said)) {
    const kind = source.operations[name]?.kind;
    checkOperation(name, [...path, name], { source, report });
    if (kind !== undefined && kind !== 'purchase') report([...path, name], code, `\`${name}\` is not a purchase${why}`);
  }
}

function checkOperation(name: string, path: YamlPath, { source, report }: Pick<Checking, 'source' | 'report'>): void {
  const known = [...Object.keys(source.operations), DEFAULT];
  reportUnknownKey(name, known, ['operation', 'unknown-operation'], path, { report });
}
