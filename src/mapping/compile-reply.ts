/** Replies → builders, whose layers are merged once, here. */
import type { JsonValue } from '../domain/json';
import { buildObject, compilePlacedFields, compileValue, type ValueContext } from './compile-value';
import type { Replies, ReplyBuilder, ReplyOutcome, Scope } from './mapping';
import { isFields, isOfOneOperation, mergeLayers, repliesOfFormat, type PlacedReply } from './merge-layers';
import { nearestName } from './nearest-name';
import { createTemplate } from './reply-template';
import type { OperationSource, ReplySource } from './language/schema';
import type { MappingSource, Report } from './source';

export interface ReplySurroundings {
  readonly source: MappingSource;
  readonly report: Report;
  readonly context: ValueContext;
}

const OUTCOMES: readonly ReplyOutcome[] = ['success', 'pending', 'failure'];

export function compileReplies(
  name: string,
  operation: OperationSource,
  formats: readonly string[],
  surroundings: ReplySurroundings,
): ReadonlyMap<string, Replies> {
  const compileFor = (owns: readonly PlacedReply[]): Replies =>
    Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, compileOutcome(name, operation, owns, outcome, surroundings)] as const),
    ) as unknown as Replies;
  // Formats that add nothing share one reply: made once.
  let plain: Replies | undefined;
  return new Map(
    formats.map((format) => {
      const owns = repliesOfFormat(format, name, surroundings.source);
      return [format, owns.length === 0 ? (plain ??= compileFor(owns)) : compileFor(owns)];
    }),
  );
}

function compileOutcome(
  name: string,
  operation: OperationSource,
  owns: readonly PlacedReply[],
  outcome: ReplyOutcome,
  surroundings: ReplySurroundings,
): ReplyBuilder {
  if (operation.kind === 'list' && outcome === 'success')
    return compileList(name, operation.reply, owns.filter(isOfOneOperation), surroundings);
  return buildReply([sharedReply(name, operation), ...owns], outcome, surroundings);
}

/** A list that fails has the failure reply that all operations share. */
export function sharedReply(name: string, { kind, reply }: OperationSource): PlacedReply {
  const shared: ReplySource = kind === 'list' ? { include: ['words'], ...reply, success: {} } : (reply ?? {});
  return { reply: shared, path: ['operations', name, 'reply'] };
}

/** The format's own list replaces the shared one. An object of fields has layers like every reply, a bare array has none. */
function compileList(
  name: string,
  shared: ReplySource | undefined,
  owns: readonly PlacedReply[],
  surroundings: ReplySurroundings,
): ReplyBuilder {
  const path = ['operations', name, 'reply'];
  const own = owns.findLast(({ reply }) => reply.success !== undefined);
  const list = own === undefined ? shared?.success : own.reply.success;
  if (list === undefined) surroundings.report(path, 'missing-reply', 'a list needs `reply.success`');
  if (isFields(list)) {
    const replies = own !== undefined || shared === undefined ? owns : [{ reply: shared, path }, ...owns];
    return buildReply(replies, 'success', surroundings);
  }
  const value = list ?? [];
  const at = [...(own?.path ?? path), 'success'];
  const build = compileValue(value, at, surroundings.context);
  return Object.assign((scope: Scope) => (build(scope) ?? []) as readonly JsonValue[], {
    sources: [{ field: '', value, path: at }],
    text: () => undefined,
  });
}

/** The layers as one function, with every include that leads nowhere told. */
export function buildReply(
  replies: readonly PlacedReply[],
  outcome: ReplyOutcome,
  { source, report, context }: ReplySurroundings,
): ReplyBuilder {
  const merged = mergeLayers(replies, outcome, source.blocks, (block, at, isCycle) => {
    if (isCycle) return report(at, 'block-cycle', `block \`${block}\` includes itself`);
    const hint = nearestName(block, Object.keys(source.blocks));
    const message = `there is no block \`${block}\``;
    return report(at, 'unknown-block', message, hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` });
  });
  const sources = [...merged].map(([field, placed]) => ({ field, ...placed }));
  const fields = compilePlacedFields(sources, context);
  return Object.assign(buildObject(fields), { sources, text: createTemplate(fields) });
}
