/** Opens the ports of the servers. Obstacles are explained in sentences that name the settings to change. */
import { createServer } from 'node:net';
import type { Config } from '../config';
import { isAtOrBelow } from '../http/request-path';
import type { Mapping } from '../mapping/mapping';

interface Place {
  readonly hostName: string;
  readonly host: string;
  readonly portName: string;
  readonly port: number;
}

/** The settings of each server: host and port, each by its variable and its key. */
const PLACES = {
  public: ['HOST', 'host', 'PORT', 'port'],
  admin: ['ADMIN_HOST', 'adminHost', 'ADMIN_PORT', 'adminPort'],
  sandbox: ['SANDBOX_HOST', 'sandboxHost', 'SANDBOX_PORT', 'sandboxPort'],
} as const;

const SENTENCES: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ host, portName, port }) =>
    `${portName} is ${port}, where another program listens already (on ${host}); choose another ${portName} or stop that program.`,
  EACCES: ({ portName, port }) =>
    `${portName} is ${port}, which this user may not open; choose a ${portName} from 1024 or grant the right.`,
  EADDRNOTAVAIL: ({ hostName, host }) => `${hostName} is ${host}, which is no address of this machine.`,
  ENOTFOUND: ({ hostName, host }) => `${hostName} is ${host}, a name that leads to no address.`,
  EAI_AGAIN: ({ hostName, host }) => `${hostName} is ${host}, a name that nobody resolves at the moment.`,
};

/** Resolves as `listen` does, or rejects with an Error whose sentence says which setting to change. */
export async function listening<T>(
  config: Config,
  server: keyof typeof PLACES,
  listen: (port: number, host: string) => Promise<T>,
): Promise<T> {
  const [hostName, host, portName, port] = PLACES[server];
  const place: Place = { hostName, host: config[host], portName, port: config[port] };
  try {
    return await listen(place.port, place.host);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const sentence = SENTENCES[code]?.(place);
    throw sentence === undefined ? error : new Error(sentence, { cause: error });
  }
}

/**
 * Rejects as `listening` does when a port is taken, before anything is opened. The admin port is opened last: a start that failed only then would
 * have served scripts already, and would have brought its mapping set into use.
 */
export async function ensureFree(config: Config, servers: readonly (keyof typeof PLACES)[]): Promise<void> {
  for (const server of servers) await listening(config, server, tryPort);
}

function tryPort(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const trial = createServer((socket) => socket.destroy());
    trial.once('error', reject).listen(port, host, () => trial.close(() => resolve()));
  });
}

/**
 * A sentence for the operator when V1_PATH hides an address of the mapping, with or without the id of a format before it: requests
 * at or below V1_PATH go to v1 and never to a mapping. Undefined when no address is hidden.
 */
export function routesBehindV1({ routes, formats }: Pick<Mapping, 'routes' | 'formats'>, v1Path: string): string | undefined {
  const pinned = [...formats.keys()].flatMap((id) => routes.map((route) => ({ ...route, path: `/${id}${route.path}` })));
  const behind = [...routes, ...pinned].filter(({ path }) => isAtOrBelow(path, v1Path));
  const [first] = behind;
  if (first === undefined) return undefined;
  const others = behind.length === 1 ? '' : ` and ${behind.length - 1} more`;
  return (
    `V1_PATH is ${v1Path}, and what lies below goes to v1 untouched: scripts would not reach ${first.methods[0]} ${first.path}${others}. ` +
    'Choose a V1_PATH that the mappings do not use.'
  );
}
