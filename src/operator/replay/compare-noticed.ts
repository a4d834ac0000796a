/** What a script or v1 would notice of a change of mappings, request by request. */
import type { Mapping, ReplyOutcome } from '../../mapping/mapping';
import { HTTP_STATUS, type Noticed } from './play-request';

export interface NoticedChange {
  readonly operation: string;
  readonly part: 'fate' | 'operation' | 'format' | 'call' | 'reply';
  /** Of the v1 call or of the reply. */
  readonly field?: string;
  readonly outcome?: ReplyOutcome;
  readonly before: string;
  readonly after: string;
  /** Why it can move money. */
  readonly money?: string;
}

const ABSENT = 'absent';
/** The fate of a request that is not refused. */
export const TAKEN = 'taken';

export function compareNoticed(before: Noticed, after: Noticed, outcomeWords: ReadonlySet<string>): NoticedChange[] {
  const operation = before.operation ?? after.operation ?? 'no operation';
  const isOrder = [before, after].some(({ kind }) => kind === 'purchase' || kind === 'status');
  if (before.refusal !== after.refusal) {
    const fate = (noticed: Noticed): string => (noticed.refusal === undefined ? TAKEN : `refused (${noticed.refusal})`);
    const wasTaken = [before, after].some(({ refusal }) => refusal === undefined);
    const money = isOrder && wasTaken ? { money: 'an order is taken or refused' } : {};
    return [{ operation, part: 'fate', before: fate(before), after: fate(after), ...money }];
  }
  if (before.operation !== after.operation) {
    const money = isOrder ? { money: 'another thing is ordered' } : {};
    return [{ operation, part: 'operation', before: before.operation ?? ABSENT, after: after.operation ?? ABSENT, ...money }];
  }
  return [
    ...compareFormat(before, after, operation, isOrder),
    ...compareCall(before, after, operation),
    ...compareReplies(before, after, operation, outcomeWords),
  ];
}

/** The words by which either mapping tells outcomes. */
export function outcomeWordsOf(...mappings: readonly Mapping[]): ReadonlySet<string> {
  return new Set(mappings.flatMap(({ words }) => Object.values(words).flatMap(({ status, Status }) => [status, Status])));
}

function compareFormat(before: Noticed, after: Noticed, operation: string, isOrder: boolean): NoticedChange[] {
  if (before.format === after.format) return [];
  const money = isOrder ? { money: 'the order is taken for another format' } : {};
  return [{ operation, part: 'format', before: before.format ?? ABSENT, after: after.format ?? ABSENT, ...money }];
}

function compareCall(before: Noticed, after: Noticed, operation: string): NoticedChange[] {
  const money = 'v1 is asked for something else';
  const endpoint: NoticedChange[] =
    before.endpoint === after.endpoint
      ? []
      : [
          {
            operation,
            part: 'call',
            field: 'endpoint',
            before: before.endpoint ?? ABSENT,
            after: after.endpoint ?? ABSENT,
            money,
          },
        ];
  return [
    ...endpoint,
    ...changedFields(before.call, after.call).map((change) => ({ operation, part: 'call' as const, ...change, money })),
  ];
}

function compareReplies(before: Noticed, after: Noticed, operation: string, outcomeWords: ReadonlySet<string>): NoticedChange[] {
  const outcomes = new Set([...before.replies.keys(), ...after.replies.keys()]);
  return [...outcomes].flatMap((outcome) =>
    changedFields(before.replies.get(outcome) ?? new Map(), after.replies.get(outcome) ?? new Map()).map(
      (change): NoticedChange => {
        const isOutcome = change.field === HTTP_STATUS || [change.before, change.after].some((text) => outcomeWords.has(text));
        return { operation, part: 'reply', outcome, ...change, ...(isOutcome ? { money: 'it tells how an order ended' } : {}) };
      },
    ),
  );
}

function changedFields(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { readonly field: string; readonly before: string; readonly after: string }[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was, is] = [before.get(field), after.get(field)];
    return was === is ? [] : [{ field, before: was ?? ABSENT, after: is ?? ABSENT }];
  });
}
