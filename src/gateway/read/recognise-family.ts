/** Step 4, second half: which family of scripts it is. Proof or none: a request that proves two families alike is of neither. */
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Mapping } from '../../mapping/mapping';

export interface RecognisedFamily {
  readonly id: string;
  /** What proves it, for people. */
  readonly reason: string;
}

/** What a request shows of one family, in words. */
export interface FamilyProof {
  readonly id: string;
  readonly strong: readonly string[];
  readonly medium: readonly string[];
  /** One strong signal proves a family, and so do two medium ones. */
  readonly isProven: boolean;
}

const MEDIUM_MIN = 2;

/** `path` is the address without a pinning prefix. */
export function recogniseFamily(
  request: LegacyRequest,
  format: string,
  mapping: Mapping,
  callerKey: CallerKey | undefined,
  path: string,
): RecognisedFamily | undefined {
  const named = callerKey?.family === undefined ? undefined : mapping.families.get(callerKey.family);
  if (named !== undefined) return named.format === format ? { id: named.id, reason: 'the key is of it' } : undefined;
  const [best, next] = proofsOf(request, format, mapping, path).filter(({ isProven }) => isProven);
  if (best === undefined || (next !== undefined && compare(best, next) === 0)) return undefined;
  return { id: best.id, reason: [...best.strong, ...best.medium].join(', ') };
}

/** Every family of the format of which the request shows anything that counts, the best proven first. */
export function proofsOf(request: LegacyRequest, format: string, mapping: Mapping, path: string): FamilyProof[] {
  const proofs: FamilyProof[] = [];
  for (const family of mapping.families.values()) {
    if (family.format !== format) continue;
    const found = { strong: [] as string[], medium: [] as string[], weak: [] as string[] };
    for (const signal of family.signals) {
      const words = signal.find(request, path);
      if (words !== undefined) found[signal.weight].push(words);
    }
    const { strong, medium } = found;
    const isProven = strong.length > 0 || medium.length >= MEDIUM_MIN;
    if (strong.length + medium.length > 0) proofs.push({ id: family.id, strong, medium, isProven });
  }
  return proofs.sort((one, other) => compare(other, one));
}

const compare = (one: FamilyProof, other: FamilyProof): number =>
  one.strong.length - other.strong.length || one.medium.length - other.medium.length;
