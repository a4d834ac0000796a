/**
 * Merges the layers of a reply into its fields for one outcome. The gateway, the checker and the tools all use this one merge.
 * Blocks come before the layers that include them, and the operation's reply before those of the format. A field set for the
 * outcome beats the same field in `always`, in whichever layer each stands; otherwise the later layer wins.
 */
import { isJsonObject, type JsonObject } from '../domain/json';
import type { ReplyOutcome } from './mapping';
import type { YamlPath } from './read-yaml';
import type { FormatFile, OperationSource, ReplySource, ValueSource } from './language/schema';
import { partsAt, type MappingSource } from './source';

export interface PlacedValue {
  readonly value: ValueSource;
  readonly path: YamlPath;
}

export interface PlacedReply {
  readonly reply: ReplySource;
  readonly path: YamlPath;
}

/** Called for each include of a block that does not exist or that includes itself; such an include adds no field. */
type OnProblem = (block: string, path: YamlPath, isCycle: boolean) => void;

const REPLIES = [
  ...(['operations.*.reply', 'formats.*.reply', 'formats.*.operations.*.reply'] as const),
  ...(['families.*.reply', 'families.*.operations.*.reply', 'blocks.*'] as const),
] as const;

/** Every reply as written, with its operation unless it is for several. */
export function everyReply(source: MappingSource): (PlacedReply & { readonly operation: string | undefined })[] {
  return REPLIES.flatMap((pattern) =>
    partsAt(source, pattern).map(({ value: reply, path, names }) => {
      return { reply, path, operation: pattern.includes('operations') ? names.at(-1) : undefined };
    }),
  );
}

/**
 * The replies for an operation in a format, first for all operations and then for this one. In the source of a family (`family` is set) the
 * family's replies follow.
 */
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

/** False for a reply of a format or family to all its operations: such a reply does not change lists. */
export const isOfOneOperation = ({ path }: PlacedReply): boolean => path.includes('operations');

/** The name under which `replyFields` gives a bare list, which has no fields. */
export const BARE_LIST = '';

/**
 * The fields of the reply to an operation for one outcome; `owns` are the replies of a format and its family. A list that fails gets the
 * failure reply of the block `words`. A format's own list replaces the shared one; a list in an object of fields has layers like every
 * reply, a bare array has none. Empty if there is no reply, or no list.
 */
export function replyFields(
  operation: string,
  { kind, reply }: OperationSource,
  owns: readonly PlacedReply[],
  outcome: ReplyOutcome,
  blocks: MappingSource['blocks'],
  onProblem?: OnProblem,
): Map<string, PlacedValue> {
  const path = ['operations', operation, 'reply'];
  const merge = (replies: readonly PlacedReply[]) => mergeLayers(replies, outcome, blocks, onProblem);
  if (kind !== 'list') return merge([{ reply: reply ?? {}, path }, ...owns]);
  if (outcome !== 'success') return merge([{ reply: { include: ['words'], ...reply }, path }, ...owns]);
  const ofList = owns.filter(isOfOneOperation);
  const list = [...(reply === undefined ? [] : [{ reply, path }]), ...ofList].findLast((one) => one.reply.success !== undefined);
  if (list === undefined) return new Map();
  if (isFields(list.reply.success)) return merge(ofList.includes(list) ? ofList : [list, ...ofList]);
  return new Map([[BARE_LIST, { value: list.reply.success!, path: [...list.path, 'success'] }]]);
}

/** The fields of a refusal, which consists of one block. */
export function refusalFields(blocks: MappingSource['blocks'], onProblem?: OnProblem): Map<string, PlacedValue> {
  return mergeLayers([{ reply: { include: ['refusal'] }, path: ['blocks', 'refusal'] }], 'failure', blocks, onProblem);
}

/** Merges the layers; fields are in the order in which they first appear. */
function mergeLayers(
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
  readonly fields: JsonObject;
  readonly path: YamlPath;
  readonly isOfOutcome: boolean;
  /** Fields of earlier layers that are removed before the fields of this layer are added. */
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
    // Keys such as `first` or `when` count as fields here: a reply may have fields of these names.
    if (!isJsonObject(fields) && leftOut.length === 0) return [];
    return [{ fields: isJsonObject(fields) ? fields : {}, path: [...path, layer], isOfOutcome: layer !== 'always', leftOut }];
  });
  return [...included, ...own];
}

/** Whether a value is a map of fields, and not one value that `first`, `when` or `each` computes. */
export function isFields(value: ValueSource | undefined): value is JsonObject {
  return isJsonObject(value) && !('first' in value || 'when' in value || 'each' in value);
}
