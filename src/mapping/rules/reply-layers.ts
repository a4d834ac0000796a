/** Which fields an outcome's reply really has, after blocks, `always` and the format's own were laid over each other. */
import { sharedReply } from '../compile-reply';
import { OUTCOMES, type ReplyOutcome } from '../mapping';
import { isFields, isOfOneOperation, mergeLayers, repliesOfFormat, type PlacedReply, type PlacedValue } from '../merge-layers';
import type { YamlPath } from '../read-yaml';
import type { MappingSource } from '../source';

export interface OutcomeReply {
  readonly operation: string;
  /** Set when the format has something of its own to say. */
  readonly format: string | undefined;
  readonly outcome: ReplyOutcome;
  readonly fields: ReadonlyMap<string, PlacedValue>;
  /** Where the reply stands, for problems of the whole. */
  readonly path: YamlPath;
}

/** Every reply of fields: shared ones once, and once more for each format that changes them. Lists are not among them. */
export function outcomeReplies(source: MappingSource): OutcomeReply[] {
  return Object.entries(source.operations).flatMap(([operation, declared]) => {
    const outcomes = declared.kind === 'list' ? (['failure'] as const) : OUTCOMES;
    const shared = sharedReply(operation, declared);
    const formats = [...source.formats.keys()].filter(
      (id) => isMetAs(id, operation, source) && repliesOfFormat(id, operation, source).length > 0,
    );
    return outcomes.flatMap((outcome) =>
      [undefined, ...formats].map((format): OutcomeReply => {
        const owns = format === undefined ? [] : repliesOfFormat(format, operation, source);
        const fields = mergeLayers([shared, ...owns], outcome, source.blocks);
        return { operation, format, outcome, path: (owns.at(-1) ?? shared).path, fields };
      }),
    );
  });
}

/** Scripts of a format meet an operation at shared addresses, or at those of the format; the address of another format pins that. */
export function isMetAs(format: string, operation: string, { operations, formats }: MappingSource): boolean {
  return operations[operation]!.routes !== undefined || formats.get(format)?.operations?.[operation]?.routes !== undefined;
}

/** The values of a list's success as one reply brings it: of the layers where it is an object, else of the one list. */
export function listReply({ reply, path }: PlacedReply, source: MappingSource): PlacedValue[] {
  if (reply.success === undefined) return [];
  if (!isFields(reply.success)) return [{ value: reply.success, path: [...path, 'success'] }];
  return [...mergeLayers([{ reply, path }], 'success', source.blocks).values()];
}

/** Everything that is said of a list, each reply by itself: the operation's, then the formats'. */
export function listReplies(operation: string, source: MappingSource): PlacedReply[] {
  const { reply } = source.operations[operation]!;
  return [
    ...(reply === undefined ? [] : [{ reply, path: ['operations', operation, 'reply'] }]),
    ...[...source.formats.keys()].flatMap((id) => repliesOfFormat(id, operation, source).filter(isOfOneOperation)),
  ];
}

/** The fields of one reply of blocks alone. */
export function blockReply(block: string, outcome: ReplyOutcome, source: MappingSource): ReadonlyMap<string, PlacedValue> {
  return mergeLayers([{ reply: { include: [block] }, path: ['blocks'] }], outcome, source.blocks);
}
