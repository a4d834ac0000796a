/**
 * Compiles a family into the mapping of its scripts. That mapping differs from the shared one in replies, in patience and in what
 * follows "pending". It never differs in anything that decides what is bought.
 */
import type { AfterPending, OutcomeWords, TakesPending } from './language/schema';
import type { Family, Mapping, Operation } from './mapping';
import { compileNumberings } from './numbering';
import { compileSignal } from './signals';
import type { MappingSource, Report } from './source';
import type { Table } from './table';

/** The source for one family: its replies are layers after those of its format, and its status words replace the shared ones. */
export function sourceOfFamily(source: MappingSource, family: string): MappingSource {
  const { words } = source.families[family]!;
  return {
    ...source,
    family,
    words: {
      ...source.words,
      success: overrideWords(source.words.success, words?.success),
      pending: overrideWords(source.words.pending, words?.pending),
      failure: overrideWords(source.words.failure, words?.failure),
    },
  };
}

function overrideWords(
  shared: OutcomeWords,
  own: { readonly [K in keyof OutcomeWords]?: OutcomeWords[K] | undefined } = {},
): OutcomeWords {
  const { http = shared.http, status = shared.status, Status = shared.Status } = own;
  return { http, status, Status };
}

/** The operations with a reply of the family. Its other operations have the shared replies. */
export function operationsWithOwnReply(family: string, { families, operations }: MappingSource): string[] {
  const { reply, operations: own = {} } = families[family]!;
  return Object.keys(operations).filter((name) => reply !== undefined || own[name]?.reply !== undefined);
}

export interface FamilyParts {
  readonly base: () => Mapping;
  /** Compiles the replies of an operation in one format from the given source. */
  readonly compileOwnReplies: (operation: string, format: string, familySource: MappingSource) => Operation['replies'];
  readonly tables: ReadonlyMap<string, Table>;
  readonly report: Report;
}

/** The mapping of the family is made when `mapping()` is first called: by a request of such a script, or by the check. */
export function compileFamily(
  id: string,
  source: MappingSource,
  { base, compileOwnReplies, tables, report }: FamilyParts,
): Family {
  const { title, extends: format, proof = [], numbers } = source.families[id]!;
  // Only for what it reports: the numbers of a family buy nothing, and `check` asks for them at the keys in callers.yaml.
  compileNumberings(numbers, ['families', id, 'numbers'], tables, report);
  let mapping: Mapping | undefined;
  return {
    id,
    title,
    format,
    signals: proof.map((signal, index) => compileSignal(signal, ['families', id, 'proof', index], report)),
    mapping: () => (mapping ??= buildFamilyMapping(id, source, base(), compileOwnReplies)),
  };
}

function buildFamilyMapping(
  id: string,
  source: MappingSource,
  base: Mapping,
  compileOwnReplies: FamilyParts['compileOwnReplies'],
): Mapping {
  const familySource = sourceOfFamily(source, id);
  const { extends: format, words, request_id: requestId } = source.families[id]!;
  const { success: saleWords, ...others } = familySource.words;
  const withOwnReply = new Set(operationsWithOwnReply(id, source));
  const operations = [...base.operations.values()].map((operation): [string, Operation] => {
    const { name, replies } = operation;
    const own = withOwnReply.has(name)
      ? { replies: new Map([...replies, ...compileOwnReplies(name, format, familySource)]) }
      : {};
    return [name, { ...operation, ...own, ...patienceAndPendingOf(id, operation, source) }];
  });
  const failureHttp = words?.failure?.http;
  return {
    ...base,
    words: { ...others, success: base.words.success },
    saleWords,
    ...(failureHttp === undefined ? {} : { failureHttp }),
    // If the id follows from what is bought, the sale to the next customer has the same id and looks like a repeat.
    ...(requestId === 'fixed' ? { replayMs: 0 } : {}),
    operations: new Map(operations),
  };
}

const AFTER: Readonly<Record<TakesPending, AfterPending>> = { keeps: 'buy', sells: 'buy', refunds: 'look' };

/** The patience of the family's scripts and what follows "pending", if the family has values for them. */
function patienceAndPendingOf(id: string, { name }: Operation, source: MappingSource): Partial<Operation> {
  const family = source.families[id]!;
  const own = family.operations?.[name];
  const patience = own?.patience ?? family.patience;
  const pending = own?.pending ?? family.pending;
  return {
    ...(patience === undefined
      ? {}
      : { patienceMs: Object.fromEntries(Object.keys(source.callers.kinds).map((kind) => [kind, patience])) }),
    ...(pending === undefined
      ? {}
      : { takesPending: pending, afterPending: AFTER[pending], afterPendingByFormat: new Map<string, AfterPending>() }),
  };
}
