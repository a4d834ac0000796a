/** Step 4, second half: which family of scripts it is. Proof or none: a request that proves two families alike is of neither. */
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Family, Mapping } from '../../mapping/mapping';

export interface RecognisedFamily {
  readonly id: string;
  /** What proves it, for people. */
  readonly reason: string;
}

export interface FamilyProof {
  readonly family: Family;
  readonly strong: readonly string[];
  readonly medium: readonly string[];
}

/** One strong signal proves a family, and so do this many medium ones. */
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
  let best: FamilyProof | undefined;
  let isTied = false;
  for (const family of mapping.families.values()) {
    if (family.format !== format) continue;
    const proof = proofOf(family, request, path);
    if (proof.strong.length === 0 && proof.medium.length < MEDIUM_MIN) continue;
    const order = best === undefined ? 1 : compare(proof, best);
    if (order > 0) best = proof;
    isTied = order === 0 || (order < 0 && isTied);
  }
  return best === undefined || isTied ? undefined : { id: best.family.id, reason: [...best.strong, ...best.medium].join(', ') };
}

function proofOf(family: Family, request: LegacyRequest, path: string): FamilyProof {
  const found = { strong: [] as string[], medium: [] as string[], weak: [] as string[] };
  for (const signal of family.signals) {
    const words = signal.find(request, path);
    if (words !== undefined) found[signal.weight].push(words);
  }
  return { family, strong: found.strong, medium: found.medium };
}

const compare = (one: FamilyProof, other: FamilyProof): number =>
  one.strong.length - other.strong.length || one.medium.length - other.medium.length;
