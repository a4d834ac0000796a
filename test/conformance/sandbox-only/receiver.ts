import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen } from '../../listen';

interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  /** Parsed JSON; tests read it freely. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** A vendor's server that keeps every webhook and answers as the test says; with a certificate it speaks https. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The next answers, in order; afterwards 200. `never` sends no answer. */
  answers: (number | 'never')[];
  close(): Promise<void>;
}

export async function openReceiver(certificate?: { readonly key: string; readonly cert: string }): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      received.push({ method: request.method, headers: request.headers, raw, body: JSON.parse(raw) });
      const answer = receiver.answers.shift() ?? 200;
      if (answer !== 'never') response.writeHead(answer, { location: `${receiver.url}/elsewhere` }).end();
    });
  };
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  const { port, close } = await listen(server);
  const origin = certificate === undefined ? 'http://127.0.0.1' : 'https://localhost';
  const receiver: Receiver = {
    url: `${origin}:${port}/hook`,
    received,
    answers: [],
    close,
  };
  return receiver;
}
