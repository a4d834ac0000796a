/**
 * Sends a pasted request to the gateway itself, with the key and PIN of a sandbox account instead of the pasted ones. It is
 * offered only while the embedded sandbox is the upstream.
 */
import { request as openRequest } from 'node:http';
import type { SavedRequest } from '../../domain/legacy';
import type { Secret } from '../../domain/credentials';
import { parsePaste } from '../../operator/paste/parse-paste';
import { addressOf } from './read-try';

export interface SandboxKey {
  readonly apiKey: Secret;
  readonly pin: Secret;
}

/** Longer than the gateway holds any reply. */
const REPLY_WITHIN_MS = 60_000;
const REPLY_MAX = 1_000_000;

/** Rejects with a sentence if the paste is no request or if no reply comes. */
export async function sendTry(text: string, address: string, key: SandboxKey, publicUrl: string) {
  const { request } = parsePaste(text, addressOf(address));
  const startedAt = performance.now();
  const { status, body } = await send(withKey(request, key), publicUrl);
  return { status, body, tookMs: performance.now() - startedAt };
}

/** A request with Basic credentials, as logins have, keeps that form. All others send the key in the form that most scripts use. */
function withKey({ headers, ...request }: SavedRequest, { apiKey, pin }: SandboxKey): SavedRequest {
  const pair = `${apiKey.revealForUseOnly()}:${pin.revealForUseOnly()}`;
  const isBasic = headers.some((header) => /^authorization\s*:\s*basic\b/i.test(header));
  const kept = headers.filter(
    (header) => !/^(?:authorization|token|x-api-key|host|content-length|connection|transfer-encoding|expect)\s*:/i.test(header),
  );
  const credentials = isBasic ? `Basic ${Buffer.from(pair).toString('base64')}` : `Token ${pair}`;
  return { ...request, headers: [...kept, `Authorization: ${credentials}`] };
}

function send({ method, target, headers, body }: SavedRequest, publicUrl: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(publicUrl);
  const fields = headers.flatMap((header): [string, string][] => {
    const [, name, value = ''] = /^([^:]+):\s*(.*)$/s.exec(header) ?? [];
    return name === undefined ? [] : [[name.trim(), value]];
  });
  return new Promise((resolve, reject) => {
    const asked = openRequest({
      ...{ hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port, method, path: target },
      headers: [...fields, ['Host', new URL(publicUrl).host], ['Content-Length', String(body.length)]].flat(),
      timeout: REPLY_WITHIN_MS,
      agent: false,
    });
    asked.on('timeout', () => asked.destroy(new Error('No reply came within a minute.')));
    asked.on('error', (error) => reject(new Error(`The gateway did not answer: ${error.message}`)));
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text.length < REPLY_MAX ? (text += part) : undefined));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', (error) => reject(error));
    });
    asked.end(body);
  });
}

/** JSON with indentation; other text unchanged. The token of a login reply is a key, so it is masked. */
export function showJson(text: string): string {
  try {
    return JSON.stringify(
      JSON.parse(text),
      (name, value: unknown) => (/^access_?token$/i.test(name) && typeof value === 'string' ? '[secret]' : value),
      2,
    );
  } catch {
    return text;
  }
}
