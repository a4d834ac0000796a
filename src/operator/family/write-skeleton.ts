/** The YAML of a family to start from, for a script that fits none. A person decides what of it is proof. */
import { stringify } from 'yaml';
import type { Fit } from './fit-families';
import type { SourceFindings } from './read-source';

/** Held below its own limit by this share, for the way of the reply and v1's last answer. */
const PATIENCE_SHARE = 0.85;

/** Undefined where nothing is known of what it sends. */
export function writeSkeleton(fits: readonly Fit[], sources: readonly SourceFindings[]): string | undefined {
  const fit = fits.find(({ format }) => format !== undefined);
  if (fit === undefined) return undefined;
  const agent = sources.map(({ userAgent }) => userAgent).find((one) => one !== undefined);
  const seconds = sources.flatMap(({ limits }) => limits.flatMap(({ text }) => secondsIn(text) ?? []));
  const family = {
    title: 'Say whose scripts these are',
    scripts: 'Say what they send, and what they decide by.',
    extends: fit.format,
    proof: [
      {
        weight: 'strong',
        ...(agent === undefined ? {} : { headers: { 'User-Agent': agent.replace(/\/.*$/, '/*') } }),
        all_fields: fit.fields,
      },
    ],
    ...(seconds.length === 0 ? {} : { patience: `${Math.max(1, Math.floor(Math.min(...seconds) * PATIENCE_SHARE))}s` }),
    pending: 'refunds',
  };
  return stringify({ families: { 'name-of-the-family': family } }).trimEnd();
}

/** The limit that a line sets; what ends in `_MS` is milliseconds. */
function secondsIn(text: string): number | undefined {
  const number = /(\d+)(?!.*\d)/.exec(text)?.[1];
  if (number === undefined) return undefined;
  const value = Number(number);
  const seconds = /_MS\b/.test(text) || value >= 1_000 ? value / 1_000 : value;
  return seconds > 0 ? seconds : undefined;
}
