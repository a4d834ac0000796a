import { KeptRecordings, RequestNoter, type Unnumbered } from '../../src/watch/recordings';

const RECORDED = { outcome: 'succeeded' } as Unnumbered;
const MINUTE_MS = 60_000;

test('a full recording stops the recording in the serving processes, and keeps its requests', () => {
  const told: (readonly [string, boolean])[] = [];
  const kept = new KeptRecordings((caller, untilMs) => void told.push([caller, untilMs !== undefined]));
  kept.start('ada', MINUTE_MS, 2);
  for (let count = 0; count < 3; count += 1) kept.add('ada', RECORDED);
  expect(kept.read('ada', 0)).toMatchObject({ isOver: true, requests: [{ number: 1 }, { number: 2 }] });
  expect(kept.read('ada', 1)?.requests).toHaveLength(1);
  expect(told).toEqual([
    ['ada', true],
    ['ada', false],
  ]);
  expect(kept.underWay()).toEqual([]);
});

test('at most five callers are recorded at a time', () => {
  const kept = new KeptRecordings(() => undefined);
  for (const caller of ['a', 'b', 'c', 'd', 'e']) expect(kept.start(caller, MINUTE_MS, 1)).toBeGreaterThan(Date.now());
  expect(kept.start('f', MINUTE_MS, 1)).toBeUndefined();
  expect(kept.start('a', MINUTE_MS, 1)).toBeDefined();
  kept.stop('b');
  expect(kept.start('f', MINUTE_MS, 1)).toBeDefined();
  expect(kept.underWay()).toHaveLength(5);
});

test('a request is not recorded after the end of the recording, and an error while recording does not reach the sale', () => {
  const noted: string[] = [];
  const noter = new RequestNoter(
    (id) => id,
    (caller) => {
      noted.push(caller);
      throw new Error('no room');
    },
  );
  const request = { method: 'GET', path: '/api/user', query: new Map(), body: new Map(), headers: {}, clientAddress: '' };
  const served = { fingerprint: 'ada', order: {}, reply: { status: 200, body: {} }, parameters: {} } as never;
  noter.note(request, served, 0);
  noter.record('ada', Date.now() + MINUTE_MS);
  noter.note(request, served, 0);
  noter.record('ada', Date.now() - 1);
  noter.note(request, served, 0);
  expect(noted).toEqual(['ada']);
});

test('a recording shows only the status words of a reply, and no digit of a short number in the request', () => {
  const kept: Unnumbered[] = [];
  const noter = new RequestNoter(
    (id) => id,
    (_caller, recorded) => void kept.push(recorded),
  );
  noter.record('ada', Date.now() + MINUTE_MS);
  const body = new Map<string, string | number>([
    ['phone', '08031234567'],
    ['pin', '1234'],
    ['amount', 1500],
    ['08031234567', 'a number in the place of a name'],
  ]);
  const request = { method: 'POST', path: '/api/exam/', query: new Map(), body, headers: {}, clientAddress: '' };
  const reply = {
    status: 200,
    body: { status: 'success', Status: '08031234567', pin: '481516234299', pins: ['481516234299'], ok: true },
  };
  noter.note(request, { fingerprint: 'ada', order: {}, reply, parameters: {} } as never, 0);
  expect(kept[0]!.fields).toEqual([
    { name: 'phone', place: 'body', kind: 'phone', length: 11, endsWith: '67' },
    { name: 'pin', place: 'body', kind: 'digits', length: 4 },
    { name: 'amount', place: 'body', kind: 'integer', length: 4 },
    { name: ':value', place: 'body', kind: 'word', length: 31 },
  ]);
  expect(kept[0]!.told).toEqual({
    httpStatus: 200,
    words: { status: 'success' },
    fields: [
      { name: 'Status', place: 'reply', kind: 'phone', length: 11 },
      { name: 'pin', place: 'reply', kind: 'digits', length: 12 },
      { name: 'pins', place: 'reply', kind: 'list', length: 1 },
      { name: 'ok', place: 'reply', kind: 'flag' },
    ],
  });
});
