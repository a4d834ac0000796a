/** What callers.yaml says of single scripts: names that are not there, and words without effect. */
import { textOf, type JsonValue } from '../../domain/json';
import { DEFAULT } from '../compile-caller-key';
import { parseExpression } from '../expression';
import type { YamlPath } from '../read-yaml';
import type { CallerKeySource, ValueSource } from '../language/schema';
import { hintFor, type Checking } from './checking';
import { walkValue } from './walk-value';

export function checkCallerKeys(checking: Checking): void {
  for (const [fingerprint, key] of Object.entries(checking.source.callers.keys)) {
    const path = ['callers', 'keys', fingerprint];
    checkNumbers(key, path, checking);
    checkLists(key, path, checking);
    checkPatience(key, path, checking);
    checkAfterPending(key, path, checking);
    checkFamily(key, path, checking);
  }
}

/** A family is only told otherwise: what its scripts mean by their numbers must be said of the key. */
function checkFamily({ family = '', numbers = {} }: CallerKeySource, path: YamlPath, { source, report }: Checking): void {
  for (const [table, meanings] of Object.entries(source.families[family]?.numbers ?? {}))
    if (!Object.hasOwn(numbers, table)) {
      const said = Object.entries(meanings).map(([number, value]) => `${number}: ${value}`);
      report(
        [...path, 'family'],
        'family-numbers-unsaid',
        `scripts of \`${family}\` have numbers of their own for \`${table}\``,
        {
          hint: `add numbers: { ${table}: { ${said.join(', ')} } } to the key`,
        },
      );
    }
}

function checkNumbers({ numbers = {}, unlisted = {} }: CallerKeySource, path: YamlPath, checking: Checking): void {
  const { source, mapping, report } = checking;
  const tables = Object.keys(source.tables);
  for (const [name, meanings] of Object.entries(numbers)) {
    const at = [...path, 'numbers', name];
    if (!tables.includes(name))
      report(at, 'unknown-table', `there is no table \`${name}\``, { at: 'key', ...hintFor(name, tables) });
    else if (Object.keys(meanings).length === 0 && unlisted[name] !== 'pass')
      report(at, 'own-numbers-empty', `every number of \`${name}\` is refused`, { at: 'key' });
    // Two plans of another server may well be one of ours; two numbers of one network are most likely a slip.
    const isClosed = Object.keys(source.tables[name]?.values ?? {}).length > 0;
    const owners = new Map<JsonValue | undefined, string>();
    const seen = new Map<number, string>();
    for (const number of Object.keys(meanings)) {
      const twin = seen.get(Number(number));
      if (twin !== undefined)
        report([...at, number], 'number-repeated', `${twin} and ${number} are the same number`, {
          at: 'key',
          hint: `the other stands at ${source.places.say([...at, twin], 'key')}`,
        });
      seen.set(Number(number), number);
      const value = mapping.callerKeys
        .get(String(path.at(-1)))
        ?.numbers.get(name)
        ?.meanings.get(Number(number));
      const owner = owners.get(value);
      if (isClosed && owner !== undefined && twin === undefined)
        report([...at, number], 'own-number-twin', `${number} and ${owner} both mean ${textOf(value)}`);
      if (value !== undefined) owners.set(value, number);
    }
  }
  for (const name of Object.keys(unlisted))
    if (!Object.hasOwn(numbers, name))
      report([...path, 'unlisted', name], 'unlisted-without-numbers', `\`numbers\` has no table \`${name}\``, {
        at: 'key',
        ...hintFor(name, Object.keys(numbers)),
      });
}

function checkLists({ lists = {} }: CallerKeySource, path: YamlPath, checking: Checking): void {
  const { source, report } = checking;
  const known = Object.entries(source.operations).flatMap(([name, { kind }]) => (kind === 'list' ? [name] : []));
  for (const [name, shape] of Object.entries(lists)) {
    const at = [...path, 'lists', name];
    checkOperation(name, at, checking);
    if (name !== DEFAULT && Object.hasOwn(source.operations, name) && !known.includes(name))
      report(at, 'shape-of-no-list', `\`${name}\` is no list`, { at: 'key', ...hintFor(name, known) });
    if (!tellsList(shape, at)) report(at, 'shape-without-list', '`$list` stands nowhere in it', { at: 'key' });
  }
}

function tellsList(shape: ValueSource, path: YamlPath): boolean {
  let isTold = false;
  walkValue(shape, path, {
    expression: ({ root, transforms }, _path, isShown) => {
      if (root === 'list' && isShown && transforms.length === 0) isTold = true;
    },
    each: (object) => {
      const list = object['each'];
      if (typeof list === 'string' && parseExpression(list)?.root === 'list') isTold = true;
    },
  });
  return isTold;
}

function checkPatience({ patience }: CallerKeySource, path: YamlPath, checking: Checking): void {
  for (const [name, at] of otherThanPurchases(patience, [...path, 'patience'], checking))
    checking.report(at, 'patience-without-order', `\`${name}\` is no purchase: nothing of it is waited for`, { at: 'key' });
}

function checkAfterPending({ after_pending: said }: CallerKeySource, path: YamlPath, checking: Checking): void {
  for (const [name, at] of otherThanPurchases(said, [...path, 'after_pending'], checking))
    checking.report(at, 'after-pending-without-order', `\`${name}\` is no purchase`, { at: 'key' });
}

/** An entry by operation for an operation that buys nothing. */
function otherThanPurchases(said: unknown, path: YamlPath, checking: Checking): (readonly [string, YamlPath])[] {
  if (typeof said !== 'object' || said === null) return [];
  const { operations } = checking.source;
  const places = Object.keys(said).map((name) => [name, [...path, name]] as const);
  for (const [name, at] of places) checkOperation(name, at, checking);
  return places.filter(([name]) => Object.hasOwn(operations, name) && operations[name]!.kind !== 'purchase');
}

function checkOperation(name: string, path: YamlPath, { source, report }: Checking): void {
  const known = [...Object.keys(source.operations), DEFAULT];
  if (!known.includes(name))
    report(path, 'unknown-operation', `there is no operation \`${name}\``, { at: 'key', ...hintFor(name, known) });
}
