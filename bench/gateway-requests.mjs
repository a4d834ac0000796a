// What the scripts of the gateway's benchmark ask: as PHP's cURL puts it on the wire, without a User-Agent.
import { message } from './gateway-wire.mjs';

const KEY = 'bench_key:1234';
// The gateway's own bounds and v1's network prefixes: every number is one of the network it is sold as.
const phone = (index) => `0803${String(index % 10_000_000).padStart(7, '0')}`;
const amount = (index) => 50 + ((index * 37) % 9_950);

const headers = (scheme) => ['Host: 127.0.0.1', `Authorization: ${scheme} ${KEY}`, 'Accept: */*'];
const post = (path, fields) => message(`POST ${path} HTTP/1.1`, headers('Token'), JSON.stringify(fields));
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

/**
 * By name: a function from a number to the bytes of a request. `run` is different in every measurement, so that ids are new.
 * `first` are requests that must have been answered before.
 */
export const REQUESTS = {
  'airtime, format A': { request: (index, run) => formatA(`a-${run}-${index}`, index) },
  'airtime, format B': {
    request: (index, run) =>
      post('/api/topup/', {
        network: 1,
        mobile_number: phone(index),
        amount: amount(index),
        airtime_type: 'VTU',
        Ported_number: true,
        'request-id': `b-${run}-${index}`,
      }),
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
  'v1 passed through': {
    request: (index, run) => {
      const fields = { network: 'MTN', phone: phone(index), amount: amount(index), ported: true, pin: '1234' };
      const body = JSON.stringify({ ...fields, request_id: `v1-${run}-${index}` });
      return message('POST /api/v1/airtime HTTP/1.1', headers('Bearer'), body);
    },
  },
};
