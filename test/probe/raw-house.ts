/** A whole gateway in front of a v1 that records every request it gets. Tests write raw bytes to the gateway. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHouse, type House } from '../flows/house';
import { listen } from '../listen';
import { readAsRfc, type ReadRequest } from './rfc-reader';

export interface RawHouse {
  readonly house: House;
  readonly port: number;
  /** Every request that v1 has read. */
  readonly seen: readonly ReadRequest[];
  /** Bytes that v1 got and that are no request by RFC 9112. */
  readonly unreadable: string[];
  close(): Promise<void>;
}

/** The id of a row as v1 gets it, whether the request came through the walk or the pass-through. */
export function idOf({ target, body }: Pick<ReadRequest, 'target' | 'body'>): string | undefined {
  return /[?&]id=(\w+)/.exec(target)?.[1] ?? /"request[_-]id":"(\w+)"/.exec(body)?.[1];
}

export async function openRawHouse(env: Readonly<Record<string, string>> = {}): Promise<RawHouse> {
  const seen: ReadRequest[] = [];
  const unreadable: string[] = [];
  const v1OfBytes = createServer((socket) => {
    socket.on('error', () => undefined);
    let bytes = '';
    socket.on('data', (chunk) => {
      bytes += chunk.toString('latin1');
      const { requests, rest } = readAsRfc(bytes);
      if (rest === 'broken') unreadable.push(bytes);
      if (rest !== 'incomplete') bytes = '';
      for (const request of rest === 'incomplete' ? [] : requests) {
        seen.push(request);
        socket.write(answerOf(request, seen.length));
      }
    });
  });
  const v1 = await listen(v1OfBytes);
  const house = await openHouse({ env: { UPSTREAM_URL: `${v1.url}/api/v1`, JOURNAL_URL: 'memory:', ...env } });
  return {
    house,
    port: Number(new URL(house.url).port),
    seen,
    unreadable,
    async close() {
      await house.close();
      await v1.close();
    },
  };
}

function answerOf(request: ReadRequest, number: number): string {
  const data = { reference: `R${number}`, request_id: idOf(request), amount: 100, status: 'success', wallet_balance: 5 };
  const body = JSON.stringify({ status: 'success', message: 'Done.', data });
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return request.method === 'HEAD' ? head : head + body;
}

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Whether the reply says that the connection will close. */
  readonly isLast: boolean;
}

export interface Heard {
  readonly replies: readonly Reply[];
  readonly isClosed: boolean;
}

export interface SendOptions {
  /** The methods in order, because the reply to HEAD has no body. */
  readonly methods?: readonly string[];
  readonly localAddress?: string;
  /** Opens another connection than a plain one to the port. */
  readonly open?: () => Socket;
  readonly patienceMs?: number;
  /** The number of packets into which the bytes are cut; 1 by default. */
  readonly packets?: number;
  /** Reads until this holds or the connection closes, and then a little longer, for bytes that should not come. */
  readonly until?: (replies: readonly Reply[]) => boolean;
}

const PATIENCE_MS = 8_000;
const A_LITTLE_MS = 40;

export async function sendBytes(
  port: number,
  bytes: string,
  { methods = [], localAddress = '127.0.0.1', packets = 1, open, patienceMs = PATIENCE_MS, until = (replies) => replies.length > 0 }: SendOptions = {}, // prettier-ignore
): Promise<Heard> {
  let text = '';
  let isClosed = false;
  const socket = open?.() ?? connect({ port, host: '127.0.0.1', localAddress });
  socket.on('data', (chunk) => (text += chunk.toString('latin1'))).on('error', () => (isClosed = true));
  socket.on('close', () => (isClosed = true));
  const size = Math.ceil(bytes.length / packets);
  for (let at = 0; at < bytes.length && !isClosed; at += size) {
    if (at > 0) await sleep(1);
    socket.write(Buffer.from(bytes.slice(at, at + size), 'latin1'));
  }
  const startedAt = performance.now();
  const isOver = (): boolean => isClosed || until(readReplies(text, methods)) || performance.now() - startedAt > patienceMs;
  do {
    while (!isOver()) await sleep(5);
    if (!isClosed) await sleep(A_LITTLE_MS);
  } while (!isOver());
  const heard = { replies: readReplies(text, methods), isClosed };
  socket.destroy();
  return heard;
}

function readReplies(text: string, methods: readonly string[]): Reply[] {
  const replies: Reply[] = [];
  for (let at = 0; ;) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return replies;
    const head = text.slice(at, end);
    const status = Number(head.slice(9, 12));
    const isEmpty = status < 200 || methods[replies.length] === 'HEAD';
    const length = isEmpty ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN);
    at = end + 4 + length;
    if (!(at <= text.length)) return replies;
    const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? '';
    const isLast = /^connection:.*\bclose\b/im.test(head);
    if (status >= 200) replies.push({ status, type, text: text.slice(end + 4, at), isLast });
  }
}
