/** Replies → builders. Layers are merged here, once: included blocks, always, the outcome, then the format's own. */
import type { JsonValue } from '../domain/json';
import { compilePlacedFields, compileValue, type ValueContext } from './compile-value';
import type { Replies, ReplyBuilder, ReplyFieldSource, ReplyOutcome, Scope } from './mapping';
import { layersOf, type Layer } from './layers-of';
import { nearestName } from './nearest-name';
import type { YamlPath } from './read-yaml';
import type { OperationSource, ReplySource, ValueSource } from './language/schema';
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
  // A failed list or lookup says so in the words of every other failure.
  const shared: ReplySource =
    operation.kind === 'list' ? { include: ['words'], ...operation.reply, success: {} } : (operation.reply ?? {});
  const compileFor = (format: string, own: ReplySource | undefined): Replies =>
    Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, compileOutcome(name, operation, shared, own, format, outcome, surroundings)] as const),
    ) as unknown as Replies;
  // Formats that add nothing share one reply: made once.
  let plain: Replies | undefined;
  return new Map(
    formats.map((format) => {
      const own = surroundings.source.formats.get(format)?.operations?.[name]?.reply;
      return [format, own === undefined ? (plain ??= compileFor(format, own)) : compileFor(format, own)];
    }),
  );
}

function compileOutcome(
  name: string,
  operation: OperationSource,
  shared: ReplySource,
  own: ReplySource | undefined,
  format: string,
  outcome: ReplyOutcome,
  surroundings: ReplySurroundings,
): ReplyBuilder {
  const path = ['operations', name, 'reply'];
  const ownPath = ['formats', format, 'operations', name, 'reply'];
  if (operation.kind === 'list' && outcome === 'success') return compileList(operation.reply, own, path, ownPath, surroundings);
  const layers = [
    ...layersIn(shared, outcome, path, surroundings),
    ...(own === undefined ? [] : layersIn(own, outcome, ownPath, surroundings)),
  ];
  return buildLayers(layers, surroundings.context);
}

/** The format's own list replaces the shared one. An object of fields has layers like every reply, a bare array has none. */
function compileList(
  shared: ReplySource | undefined,
  own: ReplySource | undefined,
  path: YamlPath,
  ownPath: YamlPath,
  surroundings: ReplySurroundings,
): ReplyBuilder {
  const isOwn = own?.success !== undefined;
  const list = isOwn ? own.success : shared?.success;
  if (list === undefined) surroundings.report(path, 'missing-reply', 'a list needs `reply.success`');
  if (isFields(list)) {
    const layers = isOwn || shared === undefined ? [] : layersIn(shared, 'success', path, surroundings);
    if (own !== undefined) layers.push(...layersIn(own, 'success', ownPath, surroundings));
    return buildLayers(layers, surroundings.context);
  }
  const value = list ?? [];
  const at = [...(isOwn ? ownPath : path), 'success'];
  const build = compileValue(value, at, surroundings.context);
  return Object.assign((scope: Scope) => (build(scope) ?? []) as readonly JsonValue[], {
    sources: [{ field: '', value, path: at }],
  });
}

/** Fields by name, and no value that is computed as a whole. */
export function isFields(value: ValueSource | undefined): value is Readonly<Record<string, ValueSource>> {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return !('first' in value || 'when' in value || 'each' in value);
}

/** One reply of blocks alone, such as a refusal. */
export function compileReply(
  reply: ReplySource,
  outcome: ReplyOutcome,
  path: YamlPath,
  surroundings: ReplySurroundings,
): ReplyBuilder {
  return buildLayers(layersIn(reply, outcome, path, surroundings), surroundings.context);
}

/** The layers, with every include that leads nowhere told. */
function layersIn(reply: ReplySource, outcome: ReplyOutcome, path: YamlPath, { source, report }: ReplySurroundings): Layer[] {
  return layersOf(reply, outcome, path, source.blocks, (block, at, isCycle) => {
    if (isCycle) return report(at, 'block-cycle', `block \`${block}\` includes itself`);
    const hint = nearestName(block, Object.keys(source.blocks));
    const message = `there is no block \`${block}\``;
    return report(at, 'unknown-block', message, hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` });
  });
}

/** Later layers win field by field; the order of fields is that of their first appearance. */
function buildLayers(layers: readonly Layer[], context: ValueContext): ReplyBuilder {
  const merged = new Map<string, ReplyFieldSource>();
  for (const { fields, path } of layers)
    for (const [field, value] of Object.entries(fields)) merged.set(field, { field, value, path: [...path, field] });
  const sources = [...merged.values()];
  return Object.assign(compilePlacedFields(sources, context), { sources });
}
