/** Faults of the answer: complete HTTP answers that are not v1's, or not about this order. */
import { afterCharge, always, once, onceAndAlways, type Fault } from './fault';
import { replyBytes, type Strike, type V1Answer } from './fault-proxy';

const HTML = '<html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>';

const page = (status: number): V1Answer => ({ status, contentType: 'text/html', body: HTML });
const json = (status: number, body: unknown): V1Answer => ({
  status,
  contentType: 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** v1 never gets the request: a proxy in front of it answers. */
const instead = (answer: V1Answer, headers?: Readonly<Record<string, string>>): Strike => {
  return ({ socket }) => socket.write(replyBytes(answer, headers));
};

interface Body {
  readonly status: unknown;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** v1 gets the request, and its answer is replaced or altered. */
const over = (answer: V1Answer, headers?: Readonly<Record<string, string>>): Strike =>
  afterCharge(({ socket }) => socket.write(replyBytes(answer, headers)));
const altered = (alter: (body: Body) => unknown): Strike =>
  afterCharge(({ socket }, { body }) => socket.write(replyBytes(json(200, alter(JSON.parse(body) as Body)))));

const ERROR = { status: 'error', message: 'The service is under maintenance.' };

const uncharged: readonly Fault[] = [
  ...onceAndAlways('502, an HTML page, nothing charged', instead(page(502))),
  ...onceAndAlways("503, JSON in v1's shape, nothing charged", instead(json(503, ERROR), { 'retry-after': '1' })),
  once('403, an HTML page of a filter, nothing charged', instead(page(403))),
  ...onceAndAlways('301 to another address', instead(page(301), { location: 'http://127.0.0.1:9/api/v1/airtime' })),
  once('307 to another address', instead(page(307), { location: 'http://127.0.0.1:9/api/v1/airtime' })),
  once('429 with `Retry-After: 1`', instead(json(429, ERROR), { 'retry-after': '1' })),
  once('429 without `Retry-After`', instead(json(429, ERROR))),
  once('429, an HTML page, `Retry-After: 1`', instead(page(429), { 'retry-after': '1' })),
  always('429 with `Retry-After: 3600`', instead(json(429, ERROR), { 'retry-after': '3600' })),
  always('413, an HTML page', instead(page(413))),
  always("422, JSON in v1's shape", instead(json(422, ERROR))),
];

const charged: readonly Fault[] = [
  ...onceAndAlways('charged, 200 with an empty body', over({ ...json(200, ''), contentType: 'text/plain' })),
  ...onceAndAlways('charged, 200 with an HTML page', over(page(200))),
  ...onceAndAlways(
    'charged, 204',
    afterCharge(({ socket }) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
  ),
  ...onceAndAlways(
    'charged, 202 with a JSON success',
    altered((body) => body),
  ).map((fault) => ({
    ...fault,
    strike: afterCharge(({ socket }, answer) => socket.write(replyBytes({ ...answer, status: 202 }))),
  })),
  ...onceAndAlways('charged, 502 with an HTML page', over(page(502))),
  ...onceAndAlways('charged, 500 with JSON', over(json(500, ERROR))),
  once('charged, 504 with an HTML page', over(page(504))),
  ...onceAndAlways('charged, 403 with an HTML page of a filter', over(page(403))),
  once('charged, 404 with an HTML page', over(page(404))),
  once('charged, 400 with an HTML page', over(page(400))),
  once('charged, 408', over(json(408, ERROR))),
  ...onceAndAlways('charged, 200 with `status: error`', over(json(200, ERROR))),
  ...onceAndAlways(
    'charged, 200 with `status: processing`',
    altered((body) => ({ ...body, status: 'processing' })),
  ),
  ...onceAndAlways(
    'charged, 200 with a number as status',
    altered((body) => ({ ...body, status: 1 })),
  ),
  ...onceAndAlways(
    'charged, 200 with `true` as status',
    altered((body) => ({ ...body, status: true })),
  ),
  ...onceAndAlways(
    'charged, a number as reference',
    altered((body) => ({ ...body, data: { ...body.data, reference: 12_345 } })),
  ),
  ...onceAndAlways(
    'charged, success without a reference',
    altered(({ status }) => ({ status, message: 'Successful.' })),
  ),
  once(
    'charged, `data` is a list',
    altered((body) => ({ ...body, data: [body.data] })),
  ),
  once(
    'charged, the answer is a list',
    altered((body) => [body]),
  ),
  once(
    'charged, the answer is JSON within text',
    altered((body) => JSON.stringify(JSON.stringify(body))),
  ),
  ...onceAndAlways(
    'charged, the answer names another request id',
    altered((body) => ({ ...body, request_id: 'another-order' })),
  ),
  once(
    'charged, the answer names two references',
    altered((body) => ({ ...body, reference: 'PPA00000000000001' })),
  ),
  ...onceAndAlways(
    'charged, compressed without being asked for',
    over({ ...json(200, '\x1f\u008b\x08garbage') }, { 'content-encoding': 'gzip' }),
  ),
];

const strangers: readonly Fault[] = [
  ...onceAndAlways(
    'v1 never sees the request, a success of another request id comes back',
    instead(json(200, { status: 'success', request_id: 'another-order', data: { reference: 'PPA00000000000001' } })),
  ),
  ...onceAndAlways(
    'v1 never sees the request, a failure of another request id comes back',
    instead(json(400, { ...ERROR, request_id: 'another-order' })),
  ),
];

export const ANSWER_FAULTS: readonly Fault[] = [...uncharged, ...charged, ...strangers];
