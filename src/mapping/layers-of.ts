/** The layers of one reply for one outcome, in the order in which they are laid: included blocks, always, the outcome. */
import type { ReplyOutcome } from './mapping';
import type { YamlPath } from './read-yaml';
import type { ReplySource, ValueSource } from './language/schema';

export interface Layer {
  readonly fields: Readonly<Record<string, ValueSource>>;
  readonly path: YamlPath;
}

type Blocks = Readonly<Record<string, ReplySource>>;

/** `onProblem` hears of each include that leads nowhere; it brings no layer. */
export function layersOf(
  reply: ReplySource,
  outcome: ReplyOutcome,
  path: YamlPath,
  blocks: Blocks,
  onProblem: (block: string, path: YamlPath, isCycle: boolean) => void = () => undefined,
  seen: readonly string[] = [],
): Layer[] {
  const included = (reply.include ?? []).flatMap((block, index) => {
    const found = Object.hasOwn(blocks, block) ? blocks[block] : undefined;
    if (found !== undefined && !seen.includes(block))
      return layersOf(found, outcome, ['blocks', block], blocks, onProblem, [...seen, block]);
    onProblem(block, [...path, 'include', index], found !== undefined);
    return [];
  });
  return [...included, ...layer(reply.always, [...path, 'always']), ...layer(reply[outcome], [...path, outcome])];
}

/** A bare list is no layer: it has no fields that another could replace. */
function layer(fields: ValueSource | undefined, path: YamlPath): Layer[] {
  if (fields === undefined || fields === null || typeof fields !== 'object' || Array.isArray(fields)) return [];
  return [{ fields: fields as Layer['fields'], path }];
}
