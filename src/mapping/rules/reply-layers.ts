/** The merged replies that checks examine: the layers of blocks, `always`, outcomes and formats in one set of fields. */
import { OUTCOMES, type ReplyOutcome } from '../mapping';
import { repliesOfFormat, replyFields, type PlacedValue } from '../merge-layers';
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

/** Every reply: the shared one, and one for each format that changes it. A list is never pending. */
export function outcomeReplies(source: MappingSource): OutcomeReply[] {
  return Object.keys(source.operations).flatMap((operation) => repliesOfOperation(operation, source));
}

export function repliesOfOperation(operation: string, source: MappingSource): OutcomeReply[] {
  const declared = source.operations[operation]!;
  const outcomes = declared.kind === 'list' ? (['success', 'failure'] as const) : OUTCOMES;
  const formats = [...source.formats.keys()].filter(
    (id) => isReachableIn(id, operation, source) && repliesOfFormat(id, operation, source).length > 0,
  );
  return outcomes.flatMap((outcome) =>
    [undefined, ...formats].map((format): OutcomeReply => {
      const owns = format === undefined ? [] : repliesOfFormat(format, operation, source);
      const path = owns.at(-1)?.path ?? ['operations', operation, 'reply'];
      return { operation, format, outcome, path, fields: replyFields(operation, declared, owns, outcome, source.blocks) };
    }),
  );
}

/** Whether scripts of a format can reach an operation: it has shared addresses, or own ones in the format. Others pin their format. */
export function isReachableIn(format: string, operation: string, { operations, formats }: MappingSource): boolean {
  return operations[operation]!.routes !== undefined || formats.get(format)?.operations?.[operation]?.routes !== undefined;
}
