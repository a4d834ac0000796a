/** Addresses that scripts ask for and the mapping does not serve, or not by that method. */
import type { Traffic } from '../../domain/traffic';
import type { Mapping } from '../../mapping/mapping';
import { nearestName } from '../../mapping/nearest-name';
import { trimSlash } from '../../mapping/trim-slash';
import type { DriftedAddress } from './drift';

export function findAddresses(traffic: Traffic, mapping: Mapping): DriftedAddress[] {
  const paths = [...new Set(mapping.routes.map(({ path }) => path))];
  return traffic.unknownAddresses.flatMap(({ method, path, count }) => {
    const match = mapping.matchRoute(method, path);
    if (match.kind === 'matched') return [];
    const near = match.kind === 'wrong_method' ? undefined : nearestName(trimSlash(path), paths);
    return [
      {
        method,
        path,
        count,
        allowed: match.kind === 'wrong_method' ? match.allowed : [],
        hint: near === undefined ? undefined : `near ${near}`,
      },
    ];
  });
}
