/** Faults of connections: what breaks, hangs or arrives twice, before and after v1 has charged. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterCharge, always, once, onceAndAlways, type Fault } from './fault';
import { replyBytes, type Exchange } from './fault-proxy';
import type { TimingName } from './timing';

const half = (text: string): string => text.slice(0, text.length >> 1);
const hang = (): void => undefined;
const HANGING: TimingName = 'patient, short attempts';

async function trickle(socket: Exchange['socket'], text: string): Promise<void> {
  for (let at = 0; at < text.length && !socket.destroyed; at += 8) {
    socket.write(text.slice(at, at + 8));
    await sleep(400);
  }
}

const beforeCharge: readonly Fault[] = [
  ...onceAndAlways('reset when the request has been read, v1 never sees it', ({ socket }) => socket.resetAndDestroy()),
  ...onceAndAlways('closed when the request has been read, v1 never sees it', ({ socket }) => socket.end()),
  ...onceAndAlways('no answer at all, v1 never sees the request', hang, HANGING),
  ...onceAndAlways('`100 Continue`, then silence', ({ socket }) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), HANGING),
  once('garbage instead of HTTP', ({ socket }) => socket.end('\x16\x03\x01 220 mail.example ESMTP\r\n')),
  ...onceAndAlways(
    '`101 Switching Protocols`',
    ({ socket }) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
    HANGING,
  ),
];

const charged: readonly Fault[] = [
  ...onceAndAlways(
    'charged, then reset before any answer',
    afterCharge(({ socket }) => socket.resetAndDestroy()),
  ),
  ...onceAndAlways(
    'charged, then closed before any answer',
    afterCharge(({ socket }) => socket.end()),
  ),
  ...onceAndAlways('charged, then no answer at all', afterCharge(hang), HANGING),
  ...onceAndAlways(
    'charged, reset within the headers of the answer',
    afterCharge(({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.resetAndDestroy())),
  ),
  ...onceAndAlways(
    'charged, reset within the body of the answer',
    afterCharge(({ socket }, answer) => {
      const whole = replyBytes(answer);
      socket.write(whole.slice(0, -10), () => socket.resetAndDestroy());
    }),
  ),
  ...onceAndAlways(
    'charged, half the JSON under the length of the whole, then closed',
    afterCharge(({ socket }, answer) => {
      const whole = replyBytes(answer);
      socket.end(whole.slice(0, whole.length - (answer.body.length >> 1)));
    }),
  ),
  ...onceAndAlways(
    'charged, half the JSON without a length, then closed',
    afterCharge(({ socket }, { body }) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${half(body)}`),
    ),
  ),
  once(
    'charged, HTTP/1.0 without a length, closed early',
    afterCharge(({ socket }, { body }) => socket.end(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${half(body)}`)),
  ),
  once(
    'charged, a length that is too short',
    afterCharge(({ socket }, answer) => socket.end(replyBytes(answer, { 'content-length': String(answer.body.length >> 1) }))),
  ),
  once(
    'charged, chunks without their end',
    afterCharge(({ socket }, { body }) => {
      const text = half(body);
      socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`);
    }),
  ),
  ...onceAndAlways(
    'charged, the answer trickles slower than an attempt may take',
    afterCharge(({ socket }, answer) => trickle(socket, replyBytes(answer))),
    HANGING,
  ),
  ...onceAndAlways(
    'charged, more than two megabytes of answer',
    afterCharge(({ socket }, answer) => socket.end(replyBytes({ ...answer, body: answer.body + ' '.repeat(2 ** 21) }))),
  ),
];

/** Odd but right: the answer arrived. */
const harmless: readonly Fault[] = [
  once(
    'charged, the answer comes after half a second',
    afterCharge(async ({ socket }, answer) => {
      await sleep(500);
      socket.write(replyBytes(answer));
    }),
  ),
  always(
    'charged, the answer comes after the script was told',
    afterCharge(async ({ socket }, answer) => {
      await sleep(3_500);
      socket.write(replyBytes(answer));
    }),
    'impatient',
  ),
  always(
    'the network holds the request back and delivers it after the script was told; the answer is lost',
    async ({ socket, forward, holdBack }) => {
      await holdBack();
      await forward();
      socket.resetAndDestroy();
    },
    'brief',
  ),
  // v1 shows times in whole seconds, so an order of the second in which the attempt was accepted could be another sale under
  // its id. For PINs and messages that stays open; from the next second on, the row is this order.
  once(
    'the request reaches v1 twice in the second after it was taken, the second answer comes back',
    async ({ socket, forward }) => {
      await sleep(1_010 - (Date.now() % 1_000));
      await forward();
      socket.write(replyBytes(await forward()));
    },
  ),
  once('the request reaches v1 twice at the same time, either answer comes back', async ({ socket, forward }) =>
    socket.write(replyBytes(await Promise.race([forward(), forward()]))),
  ),
  once(
    'the answer comes twice on one connection',
    afterCharge(({ socket }, answer) => socket.write(replyBytes(answer) + replyBytes(answer))),
  ),
  once(
    '`100 Continue` and `103 Early Hints` before the answer',
    afterCharge(({ socket }, answer) =>
      socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${replyBytes(answer)}`),
    ),
  ),
  once(
    'a byte-order mark before the JSON',
    afterCharge(({ socket }, answer) => socket.write(replyBytes({ ...answer, body: `\ufeff${answer.body}` }))),
  ),
];

export const WIRE_FAULTS: readonly Fault[] = [...beforeCharge, ...charged, ...harmless];
