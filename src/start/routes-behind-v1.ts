/** The mapping's addresses and V1_PATH share one server: what lies at or below V1_PATH goes to v1 and never to a mapping. */
import type { Mapping } from '../mapping/mapping';

/** A sentence when scripts could not reach an address of the mapping. */
export function routesBehindV1({ routes }: Pick<Mapping, 'routes'>, v1Path: string): string | undefined {
  const behind = routes.filter(({ path }) => path === v1Path || path.startsWith(`${v1Path}/`));
  const [first] = behind;
  if (first === undefined) return undefined;
  const others = behind.length === 1 ? '' : ` and ${behind.length - 1} more`;
  return (
    `V1_PATH is ${v1Path}, and what lies below goes to v1 untouched: scripts would not reach ${first.methods[0]} ${first.path}${others}. ` +
    'Choose a V1_PATH that the mappings do not use.'
  );
}
