/**
 * The fields of one reply for one outcome, laid over each other: the one merge that the gateway, the checker and the tools
 * use. Blocks come before what includes them, the operation's reply before those of the format. What is said for the outcome
 * beats what is said for every outcome, whoever said it; among equals the later layer wins.
 */
import type { ReplyOutcome } from './mapping';
import type { YamlPath } from './read-yaml';
import type { FormatFile, ReplySource, ValueSource } from './language/schema';
import type { MappingSource } from './source';

export interface PlacedValue {
  readonly value: ValueSource;
  readonly path: YamlPath;
}

export interface PlacedReply {
  readonly reply: ReplySource;
  readonly path: YamlPath;
}

/** Called for each include of a block that does not exist; such an include adds no field. */
type OnProblem = (block: string, path: YamlPath, isCycle: boolean) => void;

/** Every reply as it is written: of an operation, of a format, of a format's operation, the same of a family, and every block. */
export function everyReply({
  operations,
  formats,
  families,
  blocks,
}: MappingSource): (PlacedReply & { readonly operation?: string })[] {
  const shared = Object.entries(operations).flatMap(([operation, { reply }]) =>
    reply === undefined ? [] : [{ reply, path: ['operations', operation, 'reply'], operation }],
  );
  const own = [...formats].flatMap(([format, { reply, operations: named = {} }]) => [
    ...(reply === undefined ? [] : [{ reply, path: ['formats', format, 'reply'] }]),
    ...Object.keys(named).flatMap((operation) =>
      repliesOfFormat(format, operation, { formats, families })
        .filter(isOfOneOperation)
        .map((one) => ({ ...one, operation })),
    ),
  ]);
  const ofFamilies = Object.entries(families).flatMap(([family, { reply, operations: named = {} }]) => [
    ...(reply === undefined ? [] : [{ reply, path: ['families', family, 'reply'] }]),
    ...Object.entries(named).flatMap(([operation, { reply: said }]) =>
      said === undefined ? [] : [{ reply: said, path: ['families', family, 'operations', operation, 'reply'], operation }],
    ),
  ]);
  return [
    ...shared,
    ...own,
    ...ofFamilies,
    ...Object.entries(blocks).map(([name, reply]) => ({ reply, path: ['blocks', name] })),
  ];
}

/** What a format, and after it the family in whose words the source is, says of an operation; the general before the special. */
export function repliesOfFormat(
  format: string,
  operation: string,
  { formats, families, family }: Pick<MappingSource, 'formats' | 'families' | 'family'>,
): PlacedReply[] {
  const told = family === undefined ? undefined : families[family];
  return [
    ...repliesAt(['formats', format], operation, formats.get(format)),
    ...(told?.extends === format ? repliesAt(['families', family!], operation, told) : []),
  ];
}

function repliesAt(
  path: YamlPath,
  operation: string,
  teller: Pick<FormatFile, 'reply' | 'operations'> | undefined,
): PlacedReply[] {
  const { reply, operations } = teller ?? {};
  const own = operations?.[operation]?.reply;
  return [
    ...(reply === undefined ? [] : [{ reply, path: [...path, 'reply'] }]),
    ...(own === undefined ? [] : [{ reply: own, path: [...path, 'operations', operation, 'reply'] }]),
  ];
}

/** A list is one operation's own: what a format says of all its operations does not reach it. */
export const isOfOneOperation = ({ path }: PlacedReply): boolean => path.includes('operations');

/** In the order in which the fields first appear. */
export function mergeLayers(
  replies: readonly PlacedReply[],
  outcome: ReplyOutcome,
  blocks: MappingSource['blocks'],
  onProblem: OnProblem = () => undefined,
): Map<string, PlacedValue> {
  const merged = new Map<string, PlacedValue>();
  const decided = new Set<string>();
  for (const { fields, path, isOfOutcome, leftOut } of replies.flatMap((one) => layersOf(one, outcome, blocks, onProblem, []))) {
    for (const field of leftOut) {
      merged.delete(field);
      decided.delete(field);
    }
    for (const [field, value] of Object.entries(fields)) {
      if (!isOfOutcome && decided.has(field)) continue;
      if (isOfOutcome) decided.add(field);
      merged.set(field, { value, path: [...path, field] });
    }
  }
  return merged;
}

interface Layer {
  readonly fields: Readonly<Record<string, ValueSource>>;
  readonly path: YamlPath;
  readonly isOfOutcome: boolean;
  /** Fields of earlier layers that are taken out before these come in. */
  readonly leftOut: readonly string[];
}

function layersOf(
  { reply, path }: PlacedReply,
  outcome: ReplyOutcome,
  blocks: MappingSource['blocks'],
  onProblem: OnProblem,
  seen: readonly string[],
): Layer[] {
  const included = (reply.include ?? []).flatMap((block, index) => {
    const found = Object.hasOwn(blocks, block) ? blocks[block] : undefined;
    if (found !== undefined && !seen.includes(block))
      return layersOf({ reply: found, path: ['blocks', block] }, outcome, blocks, onProblem, [...seen, block]);
    onProblem(block, [...path, 'include', index], found !== undefined);
    return [];
  });
  const own = (['always', outcome] as const).flatMap((layer): Layer[] => {
    const fields = reply[layer];
    const leftOut = reply.without?.[layer] ?? [];
    if (!isLayer(fields) && leftOut.length === 0) return [];
    return [{ fields: isLayer(fields) ? fields : {}, path: [...path, layer], isOfOutcome: layer !== 'always', leftOut }];
  });
  return [...included, ...own];
}

/** Whatever has names: a field of a reply may be called `first` or `when`. */
function isLayer(value: ValueSource | undefined): value is Readonly<Record<string, ValueSource>> {
  return value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Fields by name, and no value that is computed as a whole. */
export function isFields(value: ValueSource | undefined): value is Readonly<Record<string, ValueSource>> {
  return isLayer(value) && !('first' in value || 'when' in value || 'each' in value);
}
