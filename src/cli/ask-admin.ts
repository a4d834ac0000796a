import { request } from 'undici';
import type { Config } from '../config';

export interface AdminAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks the running gateway's admin server, where the settings say it stands. Throws a sentence when nobody answers. */
export async function askAdmin(config: Config, method: 'GET' | 'POST', path: string, body?: unknown): Promise<AdminAnswer> {
  const host = config.adminHost === '0.0.0.0' ? '127.0.0.1' : config.adminHost === '::' ? '[::1]' : config.adminHost;
  const url = `http://${host}:${config.adminPort}${path}`;
  const token = config.adminToken === undefined ? {} : { authorization: `Bearer ${config.adminToken.revealForUseOnly()}` };
  try {
    const answer = await request(url, {
      method,
      headers: { ...token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A plan may compute for longer than the gateway keeps a connection.
      reset: true,
      headersTimeout: 30_000,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: JSON.parse(text) as AdminAnswer['body'] };
  } catch (error) {
    throw new Error(
      `No gateway answers at ${url} (ADMIN_HOST, ADMIN_PORT): ${error instanceof Error ? error.message : String(error)}. Is it running, with the settings of this command?`,
      { cause: error },
    );
  }
}
