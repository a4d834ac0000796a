/** The public server on port 0, with a walk that the test gives. */
import type { LegacyReply } from '../../src/domain/legacy';
import { createApp } from '../../src/http/app';
import type { AppOptions, Refuse } from '../../src/http/app';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import type { HttpLimits } from '../../src/http/http-limits';
import { createHttpServer, type HttpServer, type ServerKnowledge } from '../../src/http/server';

const refuse: Refuse = (error) => ({ status: error.status, body: { status: 'fail', error: [error.detail] } });
const open: HttpServer[] = [];

export async function openServer(
  handle: (...asked: Parameters<AppOptions['handle']>) => Promise<LegacyReply>,
  limits: Partial<HttpLimits> = {},
  knowledge?: ServerKnowledge,
  more: Partial<AppOptions> = {},
): Promise<{ port: number; server: HttpServer }> {
  const app = createApp({
    handle: async (...asked) => ({ reply: await handle(...asked) }),
    refuse,
    passthrough: (_request, response) => response.end('v1'),
    v1Path: '/api/v1',
    clientAddress: () => '203.0.113.9',
    limits: { ...DEFAULT_HTTP_LIMITS, ...limits },
    incident: () => 'incident',
    ...more,
  });
  const server = createHttpServer(app, { ...DEFAULT_HTTP_LIMITS, ...limits }, refuse, knowledge);
  open.push(server);
  return { port: (await server.listen(0, '127.0.0.1')).port, server };
}

/** A server whose replies come when the test says so, and the requests that have begun there. */
export async function openSlowServer() {
  const begun: string[] = [];
  const answers: (() => void)[] = [];
  const opened = await openServer((request) => {
    begun.push(request.path);
    return new Promise((resolve) => answers.push(() => resolve({ status: 200, body: { path: request.path } })));
  });
  return { ...opened, begun, answer: (): void => answers.shift()?.() };
}

export const ok = async (): Promise<LegacyReply> => ({ status: 200, body: { status: 'success' } });
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Status and body of the first reply. */
export function reply(answer: string): { status: number; body: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.toLowerCase()).toContain('content-type: application/json');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

/** For `afterEach`. */
export async function closeServers(): Promise<void> {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
}
