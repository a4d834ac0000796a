// What the scripts of the gateway's benchmark ask: as PHP's cURL puts it on the wire, without a User-Agent.
import { message } from './gateway-wire.mjs';

const KEY = 'bench_key:1234';
// The gateway's own bounds and v1's network prefixes: every number is one of the network it is sold as.
const phone = (index) => `0803${String(index % 10_000_000).padStart(7, '0')}`;
const amount = (index) => 50 + ((index * 37) % 9_950);

const headers = (scheme, key = KEY) => ['Host: 127.0.0.1', `Authorization: ${scheme} ${key}`, 'Accept: */*'];
const post = (path, fields, key) => message(`POST ${path} HTTP/1.1`, headers('Token', key), JSON.stringify(fields));
const get = (path) => message(`GET ${path} HTTP/1.1`, headers('Token'));

const formatA = (requestId, index) =>
  post('/api/topup/', {
    network: '1',
    phone: phone(index),
    amount: String(amount(index)),
    plan_type: 'VTU',
    bypass: false,
    'request-id': requestId,
  });

const formatB = (requestId, index, number = phone(index)) => ({
  network: 1,
  mobile_number: number,
  amount: amount(index),
  airtime_type: 'VTU',
  Ported_number: true,
  'request-id': requestId,
});

const TROUBLE_EVERY = 50;
/** Ends in the digits of no mood of the sandbox, which are `0000` to `0009`. */
const soundPhone = (index) => `0803123${1_000 + (index % 8_000)}`;
/** One in fifty ends in those of a mood. */
const troubledPhone = (index) => (index % TROUBLE_EVERY === 0 ? `0803123000${(index / TROUBLE_EVERY) % 10}` : soundPhone(index));

function airtimeAtV1(requestId, index, number, key) {
  const fields = { network: 'MTN', phone: number, amount: amount(index), ported: true, pin: '1234', request_id: requestId };
  return message('POST /api/v1/airtime HTTP/1.1', headers('Bearer', key), JSON.stringify(fields));
}

/**
 * By name: a function from a number to the bytes of a request. `run` is different in every measurement, so that ids are new.
 * `first` are requests that must have been answered before; `isOfSandbox` where only the sandbox knows the key.
 */
export const REQUESTS = {
  'airtime, format A': { request: (index, run) => formatA(`a-${run}-${index}`, index) },
  'airtime, format B': {
    request: (index, run) => post('/api/topup/', formatB(`b-${run}-${index}`, index)),
  },
  'airtime, format B, in trouble': {
    isOfSandbox: true,
    request: (index, run) => post('/api/topup/', formatB(`t-${run}-${index}`, index, troubledPhone(index)), 'sandbox_demo:1234'),
  },
  'a repeat of an id': {
    first: Array.from({ length: 64 }, (_, index) => formatA(`again-${index}`, index)),
    request: (index) => formatA(`again-${index % 64}`, index % 64),
  },
  'order status': {
    first: Array.from({ length: 64 }, (_, index) => formatA(`asked-${index}`, index)),
    request: (index) => get(`/api/transaction/asked-${index % 64}`),
  },
  'plan list': { request: () => get('/api/data_plans') },
  'smartcard lookup': {
    request: (index) => post('/api/validateiuc', { smart_card_number: `70${phone(index)}`, cablename: 'GOTV' }),
  },
  'v1 passed through': { request: (index, run) => airtimeAtV1(`v1-${run}-${index}`, index, phone(index)) },
  'airtime at v1': {
    isOfSandbox: true,
    request: (index, run) => airtimeAtV1(`v1-${run}-${index}`, index, soundPhone(index), 'acme_live_demo'),
  },
};
