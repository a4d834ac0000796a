/** Which fields an outcome's reply really has, after blocks, `always` and the format's own were laid over each other. */
import { isFields } from '../compile-reply';
import { layersOf } from '../layers-of';
import type { ReplyOutcome } from '../mapping';
import type { YamlPath } from '../read-yaml';
import type { ReplySource, ValueSource } from '../language/schema';
import type { MappingSource } from '../source';

const OUTCOMES: readonly ReplyOutcome[] = ['success', 'pending', 'failure'];

export interface PlacedValue {
  readonly value: ValueSource;
  readonly path: YamlPath;
}

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
  return Object.entries(source.operations).flatMap(([operation, { kind, reply }]) => {
    const outcomes = kind === 'list' ? OUTCOMES.filter((outcome) => outcome === 'failure') : OUTCOMES;
    const shared: ReplySource = kind === 'list' ? { include: ['words'], ...reply } : (reply ?? {});
    const path = ['operations', operation, 'reply'];
    const owns = [...source.formats].flatMap(([id, format]) => {
      const own = format.operations?.[operation]?.reply;
      return own === undefined ? [] : [{ id, own }];
    });
    return outcomes.flatMap((outcome): OutcomeReply[] => {
      const base = placedIn(shared, outcome, path, source);
      return [
        { operation, format: undefined, outcome, path, fields: new Map(base) },
        ...owns.map(({ id, own }) => {
          const ownPath = ['formats', id, 'operations', operation, 'reply'];
          const fields = new Map([...base, ...placedIn(own, outcome, ownPath, source)]);
          return { operation, format: id, outcome, path: ownPath, fields };
        }),
      ];
    });
  });
}

/** The values of a list's success as one reply brings it: of the layers where it is an object, else of the one list. */
export function listReply(reply: ReplySource | undefined, path: YamlPath, source: MappingSource): PlacedValue[] {
  if (reply?.success === undefined) return [];
  if (!isFields(reply.success)) return [{ value: reply.success, path: [...path, 'success'] }];
  return [...new Map(placedIn(reply, 'success', path, source)).values()];
}

/** The fields of one reply of blocks alone. */
export function blockReply(block: string, outcome: ReplyOutcome, source: MappingSource): ReadonlyMap<string, PlacedValue> {
  return new Map(placedIn({ include: [block] }, outcome, ['blocks'], source));
}

/** Every field of every layer with its place; a map of them keeps the last, as the reply does. */
function placedIn(reply: ReplySource, outcome: ReplyOutcome, path: YamlPath, source: MappingSource): [string, PlacedValue][] {
  return layersOf(reply, outcome, path, source.blocks).flatMap(({ fields, path: at }) =>
    Object.entries(fields).map(([key, value]): [string, PlacedValue] => [key, { value, path: [...at, key] }]),
  );
}
