/** A real HTTP server as the operator's webhook. */
import { createServer } from 'node:http';
import { text as readBody } from 'node:stream/consumers';
import { listen } from '../listen';

export interface WebhookServer {
  readonly url: string;
  readonly bodies: readonly string[];
  /** Each JSON alarm as `state name`. */
  told(): readonly string[];
  /** Resolves when this alarm has arrived; rejects after a while. */
  until(told: string, withinMs?: number): Promise<void>;
  close(): Promise<void>;
}

export async function openWebhookServer(): Promise<WebhookServer> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(body);
      response.writeHead(200).end('ok');
    });
  });
  const { url, close } = await listen(server);
  const told = (): string[] =>
    bodies.map((body) => {
      const { alarm, state, text } = JSON.parse(body) as { alarm?: string; state?: string; text: string };
      return alarm === undefined ? text.split(' on ', 1)[0]! : `${state} ${alarm}`;
    });
  return {
    url: `${url}/services/hush-hush`,
    bodies,
    told,
    async until(what, withinMs = 30_000) {
      const endMs = performance.now() + withinMs;
      while (!told().includes(what)) {
        if (performance.now() > endMs) throw new Error(`"${what}" has not been told, but: ${told().join(', ') || 'nothing'}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close,
  };
}
