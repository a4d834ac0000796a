/** Opens a server where the settings say, and tells with the names of the settings why it cannot listen there. */
import type { Config } from '../config';

interface Place {
  readonly hostName: string;
  readonly host: string;
  readonly portName: string;
  readonly port: number;
}

const PLACES = {
  public: ({ host, port }: Config): Place => ({ hostName: 'HOST', host, portName: 'PORT', port }),
  admin: ({ adminHost: host, adminPort: port }: Config): Place => ({
    hostName: 'ADMIN_HOST',
    host,
    portName: 'ADMIN_PORT',
    port,
  }),
  sandbox: ({ sandboxHost: host, sandboxPort: port }: Config): Place => ({
    hostName: 'SANDBOX_HOST',
    host,
    portName: 'SANDBOX_PORT',
    port,
  }),
};

const SENTENCES: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ host, portName, port }) =>
    `${portName} is ${port}, where another program listens already (on ${host}); choose another ${portName} or stop that program.`,
  EACCES: ({ portName, port }) =>
    `${portName} is ${port}, which this user may not open; choose a ${portName} from 1024 or grant the right.`,
  EADDRNOTAVAIL: ({ hostName, host }) => `${hostName} is ${host}, which is no address of this machine.`,
  ENOTFOUND: ({ hostName, host }) => `${hostName} is ${host}, a name that leads to no address.`,
  EAI_AGAIN: ({ hostName, host }) => `${hostName} is ${host}, a name that nobody resolves at the moment.`,
};

/** Gives what `listen` gives, or rejects with one sentence that says which setting to change. */
export async function listening<T>(
  config: Config,
  server: keyof typeof PLACES,
  listen: (port: number, host: string) => Promise<T>,
): Promise<T> {
  const place = PLACES[server](config);
  try {
    return await listen(place.port, place.host);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const sentence = SENTENCES[code]?.(place);
    throw sentence === undefined ? error : new Error(sentence, { cause: error });
  }
}
