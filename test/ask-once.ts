/** Sends one request as PHP's cURL does: without a User-Agent, on a connection of its own. */
import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request as tlsRequest, type RequestOptions } from 'node:https';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Rejects when the connection fails, or when it stands still for `timeout` milliseconds. */
export function askOnce(url: string, options: RequestOptions, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? tlsRequest : plainRequest;
    const asking = request(url, { agent: false, ...options }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer came'))).on('error', reject);
    asking.end(body);
  });
}
