/** Step 4, second half: the family of the script. A family must be proven; a request that proves two families equally is of none. */
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Mapping } from '../../mapping/mapping';

export interface RecognisedFamily {
  readonly id: string;
  /** What proves the family, in words for people. */
  readonly reason: string;
}

/** The signals of one family that a request shows, in words. */
interface FamilyProof {
  readonly id: string;
  readonly strong: readonly string[];
  readonly medium: readonly string[];
  /** One strong signal proves a family, and so do two medium ones. */
  readonly isProven: boolean;
}

const MEDIUM_MIN = 2;

interface Counted {
  readonly id: string;
  readonly strong: string[];
  readonly medium: string[];
}

/** `path` is the address without a pinning prefix. A family that callers.yaml names for the key needs no proof, but must be of the format. */
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

/** The families of the format for which the request shows strong or medium signals, the best proven first. */
export function proofsOf(request: LegacyRequest, format: string, mapping: Mapping, path: string): FamilyProof[] {
  const proofs: FamilyProof[] = [];
  for (const family of mapping.families.values()) {
    if (family.format !== format) continue;
    let proof: Counted | undefined;
    for (const signal of family.signals) {
      const words = signal.weight === 'weak' ? undefined : signal.find(request, path);
      if (words === undefined) continue;
      proof ??= { id: family.id, strong: [], medium: [] };
      (signal.weight === 'strong' ? proof.strong : proof.medium).push(words);
    }
    if (proof === undefined) continue;
    const isProven = proof.strong.length > 0 || proof.medium.length >= MEDIUM_MIN;
    proofs.push({ ...proof, isProven });
  }
  return proofs.sort((one, other) => compare(other, one));
}

const compare = (one: FamilyProof, other: FamilyProof): number =>
  one.strong.length - other.strong.length || one.medium.length - other.medium.length;
