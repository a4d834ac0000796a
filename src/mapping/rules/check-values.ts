/** Checks expressions: reports paths without a value, transforms of the wrong kind, and amounts shown in kobo. */
import { isJsonObject, isList } from '../../domain/json';
import type { Steps } from '../../domain/steps';
import type { Expression } from '../expression';
import type { ReplyOutcome } from '../mapping';
import { hintFor } from '../nearest-name';
import { refusalFields } from '../merge-layers';
import type { YamlPath } from '../read-yaml';
import type { OperationSource, ValueSource } from '../language/schema';
import {
  isKind,
  kindOfValue,
  ROOT_SHAPES,
  ROW_SHAPES,
  shapeAt,
  shapeOfRoot,
  TRANSFORM_KINDS,
  v1Shape,
  type Kind,
  type Surroundings,
} from '../shapes';
import { partsAt, type MappingSource } from '../source';
import { reportOnce, surroundingsOf, type Checking } from './checking';
import { listOfEach, walkValue } from './walk-value';

/** The surroundings of a value, and the roots that the gateway fills there. */
interface Standing extends Surroundings {
  readonly roots: ReadonlySet<string>;
  /** For messages: `a purchase`. */
  readonly where: string;
  /** All v1 endpoints of the mapping: a block, or a family's reply to all operations, may be used with several of them. */
  readonly endpoints: readonly string[];
}

export function* checkValues(checking: Checking): Steps<void> {
  const { source } = checking;
  const judge = createJudge(checking);
  yield* judgeReplies(checking, source, judge);
  for (const [name, operation] of Object.entries(source.operations)) {
    const asking = { ...standingOf(operation, 'success', source), joins: {}, where: 'a call' };
    const roots = new Set(operation.kind === 'status' ? ['order'] : []);
    for (const [field, value] of Object.entries(operation.call?.send ?? {}))
      judge(value, ['operations', name, 'call', 'send', field], { ...asking, roots });
  }
  for (const { value, path } of partsAt(source, 'operations.*.join.*'))
    checkColumns(value.where, value.list, ROW_SHAPES[`catalog.${value.list}`] ?? {}, [...path, 'where'], checking.report);
  const shape = {
    ...standingOf({ title: '', kind: 'list' }, 'failure', source),
    roots: new Set(['text', 'http', 'words', 'list']),
  };
  for (const { value, path } of partsAt(source, 'callers.keys.*.lists.*'))
    judge(value, path, { ...shape, where: 'the shape of a list' });
  const refusal = { fields: {}, tables: source.tables, joins: {}, endpoint: undefined, endpoints: [], list: undefined };
  for (const { value, path } of refusalFields(source.blocks).values())
    judge(value, path, { ...refusal, roots: rootsOfFailure(), where: 'a refusal' });
}

/** Checks the values of replies only. The source may be that of a family, with some operations of the `whole` only. */
export const checkReplyValues = (checking: Checking, whole: MappingSource): Steps<void> =>
  judgeReplies(checking, whole, createJudge(checking));

function* judgeReplies({ source, replies }: Checking, whole: MappingSource, judge: Judge): Steps<void> {
  for (const reply of replies) {
    const standing = standingOf(source.operations[reply.operation]!, reply.outcome, whole);
    for (const { value, path } of reply.fields.values()) judge(value, path, standing);
    yield;
  }
}

const rootsOfFailure = (): Set<string> => new Set(['text', 'http', 'words', 'refusal', 'sent', 'order']);

/** The roots that `gateway/` passes to `mergeReply` for each kind of operation, with the surroundings. */
function standingOf(operation: OperationSource, outcome: ReplyOutcome, source: MappingSource): Standing {
  const { kind } = operation;
  const roots = outcome === 'failure' ? rootsOfFailure() : new Set(['text', 'http', 'words']);
  const own = { purchase: ['order'], lookup: ['v1', 'login'], read: ['v1', 'login'], list: ['networks'] } as const;
  const ofKind = { ...own, status: ['order', 'v1'], history: ['v1', 'orders'] } as const;
  for (const root of ofKind[kind]) if (kind !== 'list' || outcome === 'success') roots.add(root);
  if (operation.catalog === 'wanted' || (kind === 'list' && outcome === 'success')) roots.add('catalog');
  return {
    roots,
    where: `${outcome === 'success' ? 'a' : `the ${outcome} of a`} ${kind}`,
    ...surroundingsOf(operation, source),
    endpoints: Object.values(source.operations).flatMap(({ call }) => call?.to ?? []),
  };
}

/** Reports conditions on columns that the rows of a list do not have. */
function checkColumns(where: ValueSource, list: string, columns: object, path: YamlPath, report: Checking['report']): void {
  for (const column of isJsonObject(where) ? Object.keys(where) : [])
    if (!Object.hasOwn(columns, column))
      report([...path, column], 'unknown-column', `rows of ${list} have no column \`${column}\``, {
        at: 'key',
        ...hintFor(column, Object.keys(columns)),
      });
}

type Judge = (value: ValueSource, path: YamlPath, standing: Standing) => void;

function createJudge({ source, report }: Checking): Judge {
  const tell = reportOnce(report);
  return (value, path, standing) =>
    walkValue(value, path, {
      expression: (expression, at, isTold, list) => judgeExpression(expression, at, isTold, { ...standing, list }, tell),
      when: (object, at, list) => judgeConditions(object['when'] ?? null, [...at, 'when'], { ...standing, list }, tell),
      each: (object, at, list) => {
        const over = listOfEach(object);
        const kind = kindOfValue(object['each'] ?? null, { ...standing, list });
        if (kind !== 'rows' && kind !== 'cards' && kind !== 'any')
          tell([...at, 'each'], 'each-over-no-list', '`each` needs a list of rows');
        const columns = over === undefined ? undefined : ROW_SHAPES[over];
        const { where = null, where_any: any } = object;
        if (columns !== undefined) {
          checkColumns(where, over!, columns, [...at, 'where'], tell);
          if (isList(any)) any.forEach((one, index) => checkColumns(one, over!, columns, [...at, 'where_any', index], tell));
        }
        const row = object['row'];
        if (typeof row !== 'string' || !Object.hasOwn(source.rows, row)) return;
        walkValue(
          source.rows[row]!,
          ['rows', row],
          {
            expression: (expression, place, isTold, inner) =>
              judgeExpression(expression, place, isTold, { ...standing, fields: {}, joins: {}, list: inner }, tell),
          },
          columns === undefined ? undefined : over,
        );
      },
    });
}

function judgeExpression(
  { root, path: steps, transforms }: Expression,
  path: YamlPath,
  isTold: boolean,
  standing: Standing,
  tell: Checking['report'],
): void {
  const isOwn = Object.hasOwn(standing.fields, root) || Object.hasOwn(standing.joins, root) || root === 'row';
  if (!isOwn && !Object.hasOwn(ROOT_SHAPES, root) && root !== 'v1') return;
  if (!isOwn && !standing.roots.has(root)) {
    tell(path, 'source-not-available', `there is no \`$${root}\` in ${standing.where}`, hintFor('', [...standing.roots]));
    return;
  }
  const found = shapeAt(shapeOfRoot(root, standing) ?? 'any', steps);
  if (!('shape' in found)) {
    // `compile-value.ts` reports an unknown list of the catalog.
    if (root === 'catalog') return;
    const isShared = root === 'v1' && (path[0] === 'blocks' || (path[0] === 'families' && path[2] === 'reply'));
    if (isShared && standing.endpoints.some((endpoint) => 'shape' in shapeAt(v1Shape(endpoint), steps))) return;
    const isRow = root === 'row' || Object.hasOwn(standing.joins, root);
    const what = [root, ...steps].join('.');
    const hint = hintFor(steps.at(-1) ?? '', found.parts);
    if (isRow && found.parts.length > 0)
      tell(path, 'unknown-column', `\`$${what}\`: ${standing.list ?? 'this list'} has no such column`, hint);
    else tell(path, 'unknown-path', `\`$${what}\` does not exist`, hint);
    return;
  }
  const last = judgeTransforms(isKind(found.shape) ? found.shape : 'object', transforms, path, root, tell);
  if (isTold && last === 'kobo')
    tell(path, 'amount-in-kobo', `\`$${[root, ...steps].join('.')}\` is in kobo`, { hint: 'add `| naira`' });
}

function judgeTransforms(
  first: Kind,
  transforms: readonly string[],
  path: YamlPath,
  root: string,
  tell: Checking['report'],
): Kind {
  let kind = first;
  for (const name of transforms) {
    const transform = TRANSFORM_KINDS[name];
    if (transform === undefined) return 'any';
    if (kind !== 'any' && !transform.takes.includes(kind))
      tell(
        path,
        'transform-of-wrong-kind',
        `\`${name}\` takes ${listWords(transform.takes)}; \`$${root}\` here is ${WORDS[kind]}`,
      );
    kind = transform.gives;
  }
  return kind;
}

const WORDS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  flag: 'a yes or no',
  kobo: 'an amount',
  time: 'a time',
  list: 'a list',
  cards: 'cards',
  rows: 'rows',
  object: 'a group of fields',
  word: 'a word of a table',
  any: 'anything',
};

const listWords = (kinds: readonly Kind[]): string => kinds.map((kind) => WORDS[kind]).join(' or ');

/** Reports a comparison that can never be true: with a value of another type, or with a word that is not in the table. */
function judgeConditions(conditions: ValueSource, path: YamlPath, standing: Standing, tell: Checking['report']): void {
  if (!isJsonObject(conditions)) return;
  for (const [key, wanted] of Object.entries(conditions)) {
    if (wanted === 'present' || wanted === 'absent') continue;
    const kind = kindOfValue(key, standing);
    const type = ({ number: 'number', flag: 'boolean', text: 'string', word: 'string' } as Partial<Record<Kind, string>>)[kind];
    if (type !== undefined && typeof wanted !== type) {
      tell([...path, key], 'condition-never-holds', `\`${key}\` is ${WORDS[kind]} and never \`${JSON.stringify(wanted)}\``);
      continue;
    }
    const field = standing.fields[key.slice(1)];
    const table = field === undefined ? undefined : standing.tables[field.as];
    const values = Object.keys(table?.values ?? {});
    if (table === undefined || table.unlisted !== undefined || table.catalog !== undefined) continue;
    if (typeof wanted === 'string' && !values.includes(wanted))
      tell([...path, key], 'condition-never-holds', `\`${key}\` is never \`${wanted}\``, hintFor(wanted, values));
  }
}
