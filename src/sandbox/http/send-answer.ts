import type { ServerResponse } from 'node:http';
import type { Answer } from '../answer';
import type { Clock } from '../clock';
import { SLOW_MS } from '../order/mood';

const HTML_502 =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n';

/** Writes the answer, spoilt as its mood demands. */
export function sendAnswer(response: ServerResponse, answer: Answer, clock: Clock): void {
  switch (answer.fault) {
    case undefined:
    case 'too-many':
      return sendJson(response, answer.status, answer.body, answer.headers);
    case 'slow':
      clock.setTimer(SLOW_MS, () => sendJson(response, answer.status, answer.body));
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'error-500':
      return sendJson(response, 500, {
        status: 'error',
        message: 'Internal error. Check the receipt before retrying a purchase.',
      });
    case 'html-502':
      response.writeHead(502, { 'content-type': 'text/html', 'content-length': Buffer.byteLength(HTML_502) });
      response.end(HTML_502);
      return;
    case 'cut':
      return sendHalf(response, answer);
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Half of the JSON under the header of the whole, then the end of the connection. */
function sendHalf(response: ServerResponse, answer: Answer): void {
  const bytes = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.end());
}
