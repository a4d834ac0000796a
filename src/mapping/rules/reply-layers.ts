/** Which fields an outcome's reply really has, after blocks, `always` and the format's own were laid over each other. */
import { isFields } from '../compile-reply';
import type { ReplyOutcome } from '../mapping';
import type { YamlPath } from '../read-yaml';
import type { ReplySource, ValueSource } from '../schema';
import type { MappingSource } from '../source';

export const OUTCOMES: readonly ReplyOutcome[] = ['success', 'pending', 'failure'];

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
      const base = layersOf(shared, outcome, path, source);
      return [
        { operation, format: undefined, outcome, path, fields: new Map(base) },
        ...owns.map(({ id, own }) => {
          const ownPath = ['formats', id, 'operations', operation, 'reply'];
          const fields = new Map([...base, ...layersOf(own, outcome, ownPath, source)]);
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
  return [...new Map(layersOf(reply, 'success', path, source)).values()];
}

/** The fields of one reply of blocks alone. */
export function blockReply(block: string, outcome: ReplyOutcome, source: MappingSource): ReadonlyMap<string, PlacedValue> {
  return new Map(layersOf({ include: [block] }, outcome, ['blocks'], source));
}

function layersOf(
  reply: ReplySource,
  outcome: ReplyOutcome,
  path: YamlPath,
  source: MappingSource,
  seen: readonly string[] = [],
): [string, PlacedValue][] {
  const included = (reply.include ?? []).flatMap((block) => {
    const found = Object.hasOwn(source.blocks, block) && !seen.includes(block) ? source.blocks[block] : undefined;
    return found === undefined ? [] : layersOf(found, outcome, ['blocks', block], source, [...seen, block]);
  });
  return [...included, ...placed(reply.always, [...path, 'always']), ...placed(reply[outcome], [...path, outcome])];
}

function placed(fields: ValueSource | undefined, path: YamlPath): [string, PlacedValue][] {
  if (fields === undefined || fields === null || typeof fields !== 'object' || Array.isArray(fields)) return [];
  return Object.entries(fields as Record<string, ValueSource>).map(([key, value]) => [key, { value, path: [...path, key] }]);
}
