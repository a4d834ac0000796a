import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPhp } from '../php/run-script';
import { openRequestDoor, plain, sendBytes, type RequestDoor } from './request-door';
import { opened } from '../opened';

const PHP = join(__dirname, '..', 'php');
/** By the case of scripts/bodies.php: the bytes that PHP sent, each below a line with its name. */
const RECORDED: ReadonlyMap<string, Buffer> = new Map(
  readFileSync(join(PHP, 'bodies.http'), 'latin1')
    .split(/^=== /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), Buffer.from(part.slice(part.indexOf('\n') + 1, -1), 'latin1')]),
);
const AIRTIME = { network: '1', mobile_number: '08030000001', amount: '100', Ported_number: '1', airtime_type: 'Share and Sell' };
const AIRTIME_JSON = { ...AIRTIME, Ported_number: true };

interface Reading {
  readonly path?: string;
  readonly query?: object;
  readonly body?: object;
  readonly refused?: string;
}

/** The meaning of each body, by its case. */
const READINGS: Record<string, Reading> = {
  urlencoded: { body: AIRTIME },
  multipart: { body: AIRTIME },
  'multipart-under-json-header': { body: AIRTIME },
  'multipart-of-an-empty-array': { body: {} },
  'multipart-with-a-file': { refused: 'unreadable_body: The field "phone" was sent as a file; send it as text.' },
  json: { body: AIRTIME_JSON },
  'json-without-header': { body: AIRTIME_JSON },
  'json-with-byte-order-mark': { body: AIRTIME_JSON },
  'json-empty-list': { body: {} },
  'json-null': { body: {} },
  'json-large-numbers': { body: { smart_card_number: { inexact: '12345678901234567890' }, amount: 1000.5 } },
  'json-repeated-name': { refused: 'repeated_field: The field "network" is given twice.' },
  'json-missing-comma': {
    refused: 'unreadable_body: The JSON body is broken at line 5, column 1: a comma is missing before this place.',
  },
  'json-line-break-in-text': {
    refused:
      'unreadable_body: The JSON body is broken at line 1, column 31: a line break or another control character stands inside a text.',
  },
  'json-empty-number': { refused: 'unreadable_body: The JSON body is broken at line 1, column 13: the value is missing.' },
  'urlencoded-under-json-header': { body: AIRTIME },
  'urlencoded-bracket-names': { body: { numbers: ['08030000001', '08050000002'], user: { name: 'Ada', city: 'Kano' } } },
  'urlencoded-repeated-name': { refused: 'repeated_field: The field "network" is given twice.' },
  'not-utf8': { refused: 'unreadable_body: The body is not UTF-8 text.' },
  'no-body': { body: {} },
  'query-only': { path: '/api/validateiuc', query: { smart_card_number: '0123456789', cablename: 'GOTV' }, body: {} },
  'query-with-a-blank-name': {
    path: '/api/validateiuc',
    query: { smart_card_number: '0123456789', cablename: 'GOTV' },
    body: {},
  },
  'query-with-a-bare-space': {
    path: '/api/validateiuc',
    query: { smart_card_number: '0123456789', cablename: 'GOTV' },
    body: {},
  },
  'get-with-json-body': {
    path: '/api/validatemeter',
    query: { meternumber: '45000000001', disconame: 'abuja-electric', mtype: 'prepaid' },
    body: { meter_number: '45000000001', amount: '1000' },
  },
  'chunked-empty': { path: '/api/user/', body: {} },
  'streams-verify': { path: '/api/cable/cable-validation', query: { iuc: '0123456789', cable: '2' }, body: {} },
};

function assertReading(door: RequestDoor, expected: Reading): void {
  if (expected.refused !== undefined) return expect(door.refusal()).toBe(expected.refused);
  const { path, query, body } = door.request();
  expect({ path, query: plain(query), body: plain(body) }).toEqual({
    path: expected.path ?? '/api/topup/',
    query: expected.query ?? {},
    body: expected.body,
  });
}

describe('a request as PHP puts it on the wire', () => {
  const door = opened(openRequestDoor);

  test('every recorded request has an expected meaning', () => {
    expect([...RECORDED.keys()].sort()).toEqual(Object.keys(READINGS).sort());
  });

  test.each(Object.entries(READINGS))('%s is read as what the script means', async (name, expected) => {
    const answer = await sendBytes(door.port, RECORDED.get(name)!);
    expect(answer).toMatch(
      expected.refused === undefined ? /^HTTP\/1\.1 (?:100 Continue\r\n\r\nHTTP\/1\.1 )?200/ : /^HTTP\/1\.1 400/,
    );
    assertReading(door, expected);
  });
});

(hasPhp ? describe : describe.skip)(
  `a request that PHP sends now${hasPhp ? '' : ' (left out: php with curl is not installed)'}`,
  () => {
    const door = opened(openRequestDoor);

    test.each(Object.entries(READINGS))('%s is read like its recording', async (name, expected) => {
      await promisify(execFile)('php', [join(PHP, 'scripts', 'bodies.php'), name, `http://127.0.0.1:${door.port}`]);
      assertReading(door, expected);
    });
  },
);
