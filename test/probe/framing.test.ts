/**
 * However a request is framed, the gateway reads it as RFC 9112 allows, or refuses it and closes the connection. After each framing
 * comes one more purchase on the same connection. That purchase must neither vanish in the body before it nor be made from that body.
 */
import { DOORS, GROUPS, isWhole, write, type Framing } from './framings';
import { idOf, openRawHouse, sendBytes } from './raw-house';
import { readAsRfc } from './rfc-reader';
import { opened } from '../opened';

interface Context {
  readonly around: (framing: Framing) => Framing;
  readonly packets: number;
}

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

/** The contexts with which every framing is combined. */
const CONTEXTS: Readonly<Record<string, Context>> = {
  'HTTP/1.1': { around: (framing) => framing, packets: 1 },
  'HTTP/1.1 in many packets': { around: (framing) => framing, packets: 12 },
  'HTTP/1.1 with an upgrade': { around: (framing) => ({ ...framing, headers: [...UPGRADE, ...framing.headers!] }), packets: 1 },
  'an upgrade in many packets': { around: (framing) => ({ ...framing, headers: [...UPGRADE, ...framing.headers!] }), packets: 12 },
  'HTTP/1.0, kept': { around: (framing) => ({ version: 'HTTP/1.0', ...framing, headers: ['Connection: keep-alive', ...framing.headers!] }), packets: 1 },
}; // prettier-ignore

const raw = opened(openRawHouse);

/** The HTTP status of a refused question about an order. */
const UNANSWERED = 202;

/** Returns the faults in the gateway's handling of these bytes. */
async function judge(bytes: string, ids: readonly string[], packets: number): Promise<string[]> {
  const { requests, rest } = readAsRfc(bytes);
  const isReadable = rest === 'nothing' || rest === 'incomplete';
  const { replies, isClosed } = await sendBytes(raw.port, bytes, {
    methods: requests.length > 0 ? requests.map(({ method }) => method) : [/^\w+/.exec(bytes)?.[0] ?? ''],
    packets,
    // A refusal may end the connection, so the test waits for that.
    until: (heard) => isReadable && heard.length >= requests.length && !heard.at(-1)?.isLast,
  });
  const sent = raw.seen.filter((request) => ids.includes(idOf(request) ?? ''));
  const got = sent.map((request) => idOf(request));
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault));

  check(new Set(got).size === got.length, 'v1 got a request twice');
  // Bytes that arrive after a reply that ends the connection reset it, and the reply may be lost on its way.
  const isReset = packets > 1 && isClosed && replies.at(-1)?.isLast !== true;
  const answered = requests.slice(0, replies.length + (isReset ? 1 : 0));
  check(got.join() === answered.map((request) => idOf(request)).filter((id) => got.includes(id)).join(), `v1 got ${got.join()} unread or unanswered`); // prettier-ignore
  for (const request of sent) {
    const meant = requests.find((one) => idOf(one) === idOf(request));
    check(isWhole(request, meant), `v1 got ${JSON.stringify(request)}`);
  }
  for (const [nth, { method, ...request }] of answered.slice(0, replies.length).entries()) {
    const { status, text } = replies[nth]!;
    const id = idOf(request)!;
    if (got.includes(id))
      check(status === 200 && (method === 'HEAD' || text.includes(id)), `v1 got ${id}, but the reply is ${status} ${text}`);
    else check(status >= 400 || method !== 'POST', `the reply is ${status} ${text} to a request that v1 did not get`);
  }
  const beyond = replies.slice(requests.length);
  check(
    beyond.length <= (rest === 'broken' || rest === 'incomplete' ? 1 : 0) &&
      beyond.every(({ status }) => status >= 400 || status === UNANSWERED),
    `more replies than requests: ${JSON.stringify(beyond)}`,
  );
  if (isClosed)
    check(
      isReset || replies.at(-1)?.isLast === true,
      `closed without a notice after ${replies.length} replies to ${requests.length} requests`,
    );
  else
    check(
      isReadable && replies.length >= requests.length,
      `open after ${replies.length} replies to ${requests.length} requests and ${rest} bytes`,
    );
  return faults;
}

const ROWS = Object.keys(GROUPS).flatMap((group) => Object.keys(CONTEXTS).map((context) => [group, context] as const));

describe.each(Object.keys(DOORS))('a purchase sent %s', (door) => {
  test.each(ROWS)('with every framing of %s, %s, is read as RFC 9112 allows or refused', async (group, context) => {
    const { around, packets } = CONTEXTS[context]!;
    const rows = GROUPS[group]!.map(around);
    raw.unreadable.length = 0;
    const faults: string[] = [];
    while (rows.length > 0)
      faults.push(
        ...(
          await Promise.all(
            rows.splice(0, 24).map(async (framing) => {
              const { bytes, ids } = write(framing, DOORS[door]!);
              return (await judge(bytes, ids, packets)).map((fault) =>
                `${JSON.stringify(framing).slice(0, 200)}: ${fault}`.slice(0, 600),
              );
            }),
          )
        ).flat(),
      );
    expect(faults).toEqual([]);
    expect(raw.unreadable).toEqual([]);
  });
});
