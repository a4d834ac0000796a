/** The rows of services.yaml, and every request that a row stands for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { everyCombination, freshPhone, NETWORKS, NUMBERS, PLANS, type Format, type NetworkName } from './compat-house';

export interface ServiceRow {
  readonly proves: readonly string[];
  readonly title: string;
  readonly format: Format;
  /** Method and address. */
  readonly at: string;
  /** Sent only without a slash at the end. */
  readonly slash?: 'never';
  /** Values by field; several spellings of a field are separated by `|`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** v1's category; absent for a lookup. */
  readonly sells?: string;
}

export interface Written {
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The network that the request means, if any. */
  readonly network?: NetworkName;
}

export const SERVICE_ROWS = parse(readFileSync(join(__dirname, 'services.yaml'), 'utf8')) as readonly ServiceRow[];

/** Every request has numbers of its own, so that none repeats another. */
export function requestsOf({ format, at, slash, fields }: ServiceRow): Written[] {
  const [method = '', path = ''] = at.split(' ');
  const bare = path.replace(/\/$/, '');
  const spellings = Object.keys(fields).map((key) => key.split('|'));
  const values = Object.values(fields).map((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  const networks = Object.values(fields).includes('$network') ? networkWords(format) : [undefined];
  return (slash === 'never' ? [path] : [bare, `${bare}/`]).flatMap((address) =>
    everyCombination(spellings).flatMap((names) =>
      everyCombination(values).flatMap((chosen) =>
        networks.map((network) => ({
          method,
          path: address,
          fields: Object.fromEntries(names.map((name, index) => [name, fill(chosen[index], network)])),
          ...(network === undefined ? {} : { network: network.means }),
        })),
      ),
    ),
  );
}

interface NetworkWord {
  readonly word: string | number;
  readonly means: NetworkName;
}

function networkWords(format: Format): NetworkWord[] {
  const numbers = Object.entries(NUMBERS[format]).map(([number, means]) => ({ word: Number(number), means }));
  return [...numbers, ...NETWORKS.map((means) => ({ word: means, means }))];
}

function fill(value: unknown, network: NetworkWord | undefined): unknown {
  switch (value) {
    case '$network':
      return network?.word;
    case '$phone':
      return freshPhone(network?.means ?? 'MTN');
    case '$plan':
      return PLANS[network?.means ?? 'MTN'];
    case '$card':
    case '$meter':
      return freshPhone('MTN').replace(/^0/, '7');
    default:
      return value;
  }
}
