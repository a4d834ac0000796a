/**
 * A family → the mapping as its scripts meet it. It differs from the mapping of everybody else in what is told, how long is
 * waited and what is done after "pending", and in nothing that decides what is bought.
 */
import type { AfterPending, OutcomeWords, TakesPending } from './language/schema';
import type { Family, Mapping, Operation } from './mapping';
import { compileSignal } from './signals';
import type { MappingSource, Report } from './source';

/** The set in the words of one family: its replies come after those of its format, its words in the place of all others. */
export function sourceOfFamily(source: MappingSource, family: string): MappingSource {
  const { words } = source.families[family]!;
  return {
    ...source,
    family,
    words: {
      success: insteadOf(source.words.success, words?.success),
      pending: insteadOf(source.words.pending, words?.pending),
      failure: insteadOf(source.words.failure, words?.failure),
    },
  };
}

function insteadOf(
  shared: OutcomeWords,
  own: { readonly [K in keyof OutcomeWords]?: OutcomeWords[K] | undefined } = {},
): OutcomeWords {
  const { http = shared.http, status = shared.status, Status = shared.Status } = own;
  return { http, status, Status };
}

/** `compile` makes a mapping of a source; asked for when a script of the family comes, or the check wants to know. */
export function compileFamily(
  id: string,
  source: MappingSource,
  { base, compile, report }: { base: () => Mapping; compile: (source: MappingSource) => Mapping; report: Report },
): Family {
  const { title, extends: format, proof = [] } = source.families[id]!;
  let mapping: Mapping | undefined;
  return {
    id,
    title,
    format,
    signals: proof.map((signal, index) => compileSignal(signal, ['families', id, 'proof', index], report)),
    mapping: () => (mapping ??= tellAs(id, source, base(), compile(sourceOfFamily(source, id)))),
  };
}

function tellAs(id: string, source: MappingSource, base: Mapping, told: Mapping): Mapping {
  const operations = [...base.operations.values()].map((operation): [string, Operation] => [
    operation.name,
    { ...operation, replies: told.operations.get(operation.name)!.replies, ...waysOf(id, operation, source) },
  ]);
  const failureHttp = source.families[id]!.words?.failure?.http;
  return {
    ...base,
    words: told.words,
    ...(failureHttp === undefined ? {} : { failureHttp }),
    operations: new Map(operations),
  };
}

const AFTER: Readonly<Record<TakesPending, AfterPending>> = { keeps: 'buy', sells: 'buy', refunds: 'look' };

/** How long its scripts wait, and what follows "pending", where the family says so. */
function waysOf(id: string, { name }: Operation, source: MappingSource): Partial<Operation> {
  const family = source.families[id]!;
  const own = family.operations?.[name];
  const patience = own?.patience ?? family.patience;
  const pending = own?.pending ?? family.pending;
  return {
    ...(patience === undefined
      ? {}
      : { patienceMs: Object.fromEntries(Object.keys(source.callers.kinds).map((kind) => [kind, patience])) }),
    ...(pending === undefined ? {} : { afterPending: AFTER[pending], afterPendingByFormat: new Map<string, AfterPending>() }),
  };
}
