/** The merged replies that checks examine: the layers of blocks, `always`, outcomes and formats in one set of fields. */
import { sharedReply } from '../compile-reply';
import { OUTCOMES, type ReplyOutcome } from '../mapping';
import { isFields, isOfOneOperation, mergeLayers, repliesOfFormat, type PlacedReply, type PlacedValue } from '../merge-layers';
import type { YamlPath } from '../read-yaml';
import type { MappingSource } from '../source';

export interface OutcomeReply {
  readonly operation: string;
  /** Set for the reply in a format that changes the shared reply. */
  readonly format: string | undefined;
  readonly outcome: ReplyOutcome;
  readonly fields: ReadonlyMap<string, PlacedValue>;
  /** The place for problems of the whole reply. */
  readonly path: YamlPath;
}

/** Every reply that has fields: the shared one, and one for each format that changes it. Of lists only the failure is included. */
export function outcomeReplies(source: MappingSource): OutcomeReply[] {
  return Object.keys(source.operations).flatMap((operation) => repliesOfOperation(operation, source));
}

export function repliesOfOperation(operation: string, source: MappingSource): OutcomeReply[] {
  const declared = source.operations[operation]!;
  const outcomes = declared.kind === 'list' ? (['failure'] as const) : OUTCOMES;
  const shared = sharedReply(operation, declared);
  const formats = [...source.formats.keys()].filter(
    (id) => isReachableIn(id, operation, source) && repliesOfFormat(id, operation, source).length > 0,
  );
  return outcomes.flatMap((outcome) =>
    [undefined, ...formats].map((format): OutcomeReply => {
      const owns = format === undefined ? [] : repliesOfFormat(format, operation, source);
      const fields = mergeLayers([shared, ...owns], outcome, source.blocks);
      return { operation, format, outcome, path: (owns.at(-1) ?? shared).path, fields };
    }),
  );
}

/** Whether scripts of a format can reach an operation: it has shared addresses, or own ones in the format. Others pin their format. */
export function isReachableIn(format: string, operation: string, { operations, formats }: MappingSource): boolean {
  return operations[operation]!.routes !== undefined || formats.get(format)?.operations?.[operation]?.routes !== undefined;
}

/** The values of a list's success in one reply: the merged fields if it is an object, otherwise the one list. */
export function listReply({ reply, path }: PlacedReply, source: MappingSource): PlacedValue[] {
  if (reply.success === undefined) return [];
  if (!isFields(reply.success)) return [{ value: reply.success, path: [...path, 'success'] }];
  return [...mergeLayers([{ reply, path }], 'success', source.blocks).values()];
}

/** All replies of a list, unmerged: that of the operation, then those of the formats. */
export function listReplies(operation: string, source: MappingSource): PlacedReply[] {
  const { reply } = source.operations[operation]!;
  return [
    ...(reply === undefined ? [] : [{ reply, path: ['operations', operation, 'reply'] }]),
    ...[...source.formats.keys()].flatMap((id) => repliesOfFormat(id, operation, source).filter(isOfOneOperation)),
  ];
}

/** The fields of a reply that consists of one block. */
export function blockReply(block: string, outcome: ReplyOutcome, source: MappingSource): ReadonlyMap<string, PlacedValue> {
  return mergeLayers([{ reply: { include: [block] }, path: ['blocks'] }], outcome, source.blocks);
}
