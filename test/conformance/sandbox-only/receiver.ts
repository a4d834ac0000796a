import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  /** Parsed JSON; tests read it freely. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** A vendor's server that notes every webhook and answers as it is told. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The next answers; after them 200. `never` does not answer at all. */
  answers: (number | 'never')[];
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      received.push({ method: request.method, headers: request.headers, raw, body: JSON.parse(raw) });
      const answer = receiver.answers.shift() ?? 200;
      if (answer !== 'never') response.writeHead(answer, { location: `${receiver.url}/elsewhere` }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers: [],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
