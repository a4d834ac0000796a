// Services of Node and Python, one a family, cut down to one sale: what each sends as its HTTP client writes it, and by what it decides.
import { request } from 'node:http';

const [address, key, family, text] = process.argv.slice(2);
const { phone, id } = JSON.parse(text);

const a = { network: 1, phone, amount: 100, bypass: true };
const b = { network: 1, mobile_number: phone, amount: 100, Ported_number: true, airtime_type: 'VTU' };
const is =
  (field, ...words) =>
  (_http, reply) =>
    words.includes(reply[field]);
const token = `Token ${key}`;
const SERVICES = {
  'axios-a': { agent: 'axios/1.7.2', path: '/api/topup/', fields: a, sells: is('status', 'success') },
  'axios-b': { agent: 'axios/1.7.2', path: '/api/topup/', fields: b, sells: is('Status', 'successful') },
  'fetch-a': { agent: 'node', path: '/api/topup/', fields: a, sells: is('status', 'success') },
  'fetch-b': { agent: 'node', path: '/api/topup/', fields: b, sells: is('Status', 'successful') },
  'topupmate-api': {
    agent: 'axios/1.7.2',
    path: '/api/airtime/',
    fields: { network: '1', phone, amount: '100', airtime_type: 'VTU', ported_number: 'true', ref: id },
    sells: (_http, reply) => reply.status === 'success' && !reply.msg && !reply.message && !reply.error,
  },
  'forbill-ai': {
    agent: 'python-httpx/0.27.0',
    auth: `Bearer ${key}`,
    path: '/api/airtime',
    fields: { network: '1', phone, amount: 100, bypass: false, request_id: `AIRTIME_${phone}_100` },
    sells: (http, reply) => http < 300 && reply.success === true,
  },
  babspay: {
    agent: 'axios/1.7.2',
    path: '/api/topup/',
    fields: b,
    sells: (http, reply) => http === 200 && ['success', 'successful'].includes(reply.status) && Boolean(reply.reference),
    keeps: (http, reply) =>
      [401, 403, 429].includes(http) || http >= 500 || ['pending', 'processing', 'queued'].includes(reply.status),
  },
  'django-201': { agent: 'python-requests/2.31', path: '/api/topup/', fields: b, isSpaced: true, sells: (http) => http === 201 },
  'msorg-python': {
    agent: 'python-requests/2.31',
    path: '/api/topup/',
    // 4 is AIRTEL on an original MSORG server.
    fields: { ...b, network: 4, mobile_number: phone.replace(/^0803/, '0802') },
    isSpaced: true,
    sells: is('Status', 'successful'),
  },
  'msorg-as-client': {
    agent: 'python-requests/2.31',
    path: '/api/topup/',
    fields: b,
    isSpaced: true,
    sells: (http, reply) => [200, 201].includes(http) && reply.Status !== 'failed',
    keeps: (http) => ![200, 201].includes(http),
  },
};

const { agent, auth = token, path, fields, isSpaced = false, sells, keeps = () => false } = SERVICES[family];
const compact = JSON.stringify(fields);
const body = isSpaced ? compact.replace(/("|\d|true|false)([:,])(?=["\dtf])/g, '$1$2 ') : compact;
const headers = {
  Authorization: auth,
  'Content-Type': 'application/json',
  'User-Agent': agent,
  'Content-Length': Buffer.byteLength(body),
};
const response = await new Promise((resolve, reject) => {
  request(`${address}${path}`, { method: 'POST', headers }, resolve).on('error', reject).end(body);
});
let answer = '';
for await (const chunk of response.setEncoding('utf8')) answer += chunk;
const reply = JSON.parse(answer);
const told = sells(response.statusCode, reply) ? 'delivered' : keeps(response.statusCode, reply) ? 'pending' : 'refunded';
console.log(JSON.stringify({ told, text: null, reference: reply.ident ?? null }));
