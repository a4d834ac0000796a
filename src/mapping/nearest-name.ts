/** The known name that a misspelt one most likely meant, or `undefined` when none is near. */
export function nearestName(wanted: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** The hint of a misspelt name: the nearest known one, where one is near. */
export function nearestHint(wanted: string, known: Iterable<string>): { hint?: string } {
  const near = nearestName(wanted, known);
  return near === undefined ? {} : { hint: `did you mean \`${near}\`?` };
}

/** The hint of `nearestHint`, or all known names if none is near. */
export function hintFor(wanted: string, known: readonly string[]): { hint?: string } {
  return { ...(known.length > 0 && { hint: `known: ${known.join(', ')}` }), ...nearestHint(wanted, known) };
}

/** Insertions, deletions, substitutions and swaps of neighbours (`transfrom` is one step from `transform`). */
export function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j += 1) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = distance;
    }
  }
  return rows[a.length]![b.length]!;
}

/** The known key that `check --fix` may write for a misspelt one: exactly one is near, and no change of it moves money. */
export function safeRename(key: string, known: readonly string[], isPlain: (name: string) => boolean): string | undefined {
  const nearest = nearestName(key, known);
  if (nearest === undefined || !isPlain(nearest)) return undefined;
  const another = nearestName(
    key,
    known.filter((name) => name !== nearest),
  );
  return another === undefined ? nearest : undefined;
}
