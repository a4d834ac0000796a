/** A real server on port 0 that reads every request and keeps the result. Raw sockets connect to it. */
import { connect } from 'node:net';
import express from 'express';
import { GatewayError } from '../../src/domain/errors';
import { InexactNumber } from '../../src/domain/json';
import type { LegacyFields, LegacyRequest, LegacyValue } from '../../src/domain/legacy';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import type { BodyLimits } from '../../src/http/http-limits';
import { readRequest } from '../../src/http/read-request';
import { createHttpServer } from '../../src/http/server';

/** Code and detail of the refusal that `work` throws; `read` when it throws none. */
export function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code}: ${error.detail}`;
    throw error;
  }
  return 'read';
}

export interface RequestDoor {
  readonly port: number;
  readonly read: (LegacyRequest | Error)[];
  /** The last request; throws its refusal. */
  request(): LegacyRequest;
  /** How many requests have come, whether or not they were read. */
  begun(): number;
  /** Code and detail of the last refusal; `read` when the last request was not refused. */
  refusal(): string;
  close(): Promise<void>;
}

export async function openRequestDoor(limits: BodyLimits = DEFAULT_HTTP_LIMITS): Promise<RequestDoor> {
  const read: (LegacyRequest | Error)[] = [];
  let begun = 0;
  const app = express().use((request, response) => {
    begun += 1;
    readRequest(request, limits, '192.0.2.1').then(
      (legacy) => {
        read.push(legacy);
        response.end('{}');
      },
      (error: Error) => {
        read.push(error);
        response.writeHead(error instanceof GatewayError ? error.status : 500).end('{}');
      },
    );
  });
  const server = createHttpServer(app, DEFAULT_HTTP_LIMITS, (error) => ({ status: error.status, body: {} }));
  const { port } = await server.listen(0, '127.0.0.1');
  const last = (): LegacyRequest => {
    const found = read.at(-1);
    if (found === undefined || found instanceof Error) throw found ?? new Error('nothing was read');
    return found;
  };
  return { port, read, request: last, begun: () => begun, refusal: () => refusalOf(last), close: () => server.close(0) };
}

/** Writes bytes, waits for a whole reply or the end of the connection, and gives everything received. */
export async function sendBytes(port: number, ...parts: readonly (Buffer | string)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer: Buffer[] = [];
    const isHead = String(parts[0]).startsWith('HEAD ');
    let quiet: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(quiet);
      socket.destroy();
      resolve(Buffer.concat(answer).toString('utf8'));
    };
    socket.on('data', (chunk) => {
      answer.push(chunk);
      clearTimeout(quiet);
      // Waits a little longer even after a whole reply: a second reply would be a fault.
      quiet = setTimeout(done, isWhole(Buffer.concat(answer), isHead) ? 15 : 5_000);
    });
    socket.on('error', done).on('close', done);
    for (const part of parts) socket.write(part);
  });
}

function isWhole(answer: Buffer, isHead: boolean): boolean {
  const text = answer.toString('latin1').replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1 || isHead) return headEnd !== -1;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= headEnd + 4 + Number(length);
}

/** Sends one request with this body. */
export async function sendBody(door: RequestDoor, contentType: string | undefined, body: Buffer | string): Promise<void> {
  const bytes = Buffer.from(body);
  const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
  await sendBytes(door.port, `POST /api/topup/ HTTP/1.1\r\nHost: x\r\n${type}Content-Length: ${bytes.length}\r\n\r\n`, bytes);
}

/** The fields as a plain object, for comparison. */
export function plain(fields: LegacyFields): Record<string, unknown> {
  return Object.fromEntries([...fields].map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: LegacyValue): unknown {
  return value instanceof InexactNumber ? { inexact: value.text } : value;
}
