/** The names of keys for operators, and the search for a key by its title or fingerprint. */
import { hash } from 'node:crypto';
import { nearestName } from './nearest-name';
import type { Mapping } from './mapping';

type Named = Pick<Mapping, 'callerKeys'>;

const SHORT_DIGITS = 8;
const SHORT_FINGERPRINT = new RegExp(`^[0-9a-f]{${SHORT_DIGITS},32}$`);
const FINGERPRINT_DIGITS = 32;

/** `Ada`, `Ada (sandbox)`, or the beginning of the fingerprint of a key without a title. */
export function callerName(mapping: Named, fingerprint: string): string {
  return callerTitle(mapping, fingerprint) ?? fingerprint.slice(0, SHORT_DIGITS);
}

/** Undefined for a key without a title. */
export function callerTitle({ callerKeys }: Named, fingerprint: string): string | undefined {
  const key = callerKeys.get(fingerprint);
  if (key?.title === undefined) return undefined;
  return key.sandboxOf === undefined ? key.title : `${key.title} (sandbox)`;
}

/**
 * The fingerprint of a key in the sandbox. Sandbox orders, price lists and guards are kept under it, so they never mix with those of
 * the key itself.
 */
export function sandboxScopeOf(fingerprint: string): string {
  return hash('sha256', `sandbox ${fingerprint}`).slice(0, FINGERPRINT_DIGITS);
}

/**
 * Finds a fingerprint by its title, in any case, or by the fingerprint itself. The beginning of a fingerprint is enough if only one of
 * callers.yaml and `known`, such as the owners of orders, begins so. Otherwise throws a plain Error, with the nearest title.
 */
export function findCaller(text: string, mapping: Named, known: Iterable<string> = []): string {
  const wanted = text.trim().toLowerCase();
  const titles = new Map<string, string>();
  for (const fingerprint of mapping.callerKeys.keys()) {
    const title = callerTitle(mapping, fingerprint);
    if (title !== undefined) titles.set(title.toLowerCase(), fingerprint);
  }
  const named = titles.get(wanted);
  if (named !== undefined) return named;
  if (SHORT_FINGERPRINT.test(wanted)) {
    if (wanted.length === FINGERPRINT_DIGITS) return wanted;
    const meant = new Set([...mapping.callerKeys.keys(), ...known].filter((one) => one.startsWith(wanted)));
    const [only] = meant;
    if (meant.size === 1 && only !== undefined) return only;
    if (meant.size > 1) throw new Error(`More than one key begins with ${wanted}: give all 32 digits of its fingerprint.`);
  }
  const near = nearestName(wanted, [...titles.keys()]);
  const title = near === undefined ? undefined : callerTitle(mapping, titles.get(near)!);
  throw new Error(
    `No caller is called ${JSON.stringify(text)}${title === undefined ? '. Give a title of callers.yaml, or a fingerprint.' : `. Did you mean ${title}?`}`,
  );
}
