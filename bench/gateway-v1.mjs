// The v1 of the gateway's benchmarks: answers at once, or as late as its parent says, and never twice with one reference. Sells
// nothing, checks nothing but the key.
import { createServer } from 'node:net';
import { eachMessage, message } from './gateway-wire.mjs';

const catalog = process.env.BENCH_CATALOG;
let orders = 0;
let v1Ms = 0;

function sold() {
  const reference = `TXN${String((orders += 1)).padStart(12, '0')}`;
  const data = { reference, cashback_earned: 1.5, balance_before: 25_000.75, balance_after: 24_903.25 };
  return { status: 'success', message: 'Airtime purchase successful', data };
}

const verified = JSON.stringify({ status: 'success', data: { name: 'ADA OBI', customer_name: 'ADA OBI' } });

function receipt() {
  const { reference, balance_before, balance_after } = sold().data;
  const fields = { id: orders, reference, category: 'airtime', amount: 50, status: 'success', phone: '08030000000' };
  return { status: 'success', data: { ...fields, balance_before, balance_after, created_at: '2026-01-01T00:00:00Z' } };
}

/** The gateway's peers call v1 below `/v1`; a peer that passes v1 through sends the script's own path. */
function answerTo(path) {
  const target = path.replace(/^(?:\/api)?\/v1/, '');
  if (target.startsWith('/airtime')) return JSON.stringify(sold());
  if (target.startsWith('/catalog')) return catalog;
  if (target.startsWith('/validate')) return verified;
  if (target.startsWith('/receipt')) return JSON.stringify(receipt());
  return JSON.stringify({ status: 'error', message: 'Not a question of this benchmark.' });
}

const UNKNOWN_KEY = message('HTTP/1.1 401 Unauthorized', [], JSON.stringify({ status: 'error', message: 'Invalid API key' }));

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => socket.destroy());
  eachMessage(socket, (head) => {
    if (!head.includes(' bench_key')) return socket.write(UNKNOWN_KEY);
    const answer = message('HTTP/1.1 200 OK', [], answerTo(head.split(' ', 2)[1]));
    if (v1Ms === 0) socket.write(answer);
    else setTimeout(() => socket.write(answer), v1Ms);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('message', (order) => ({ v1Ms } = order));
process.on('disconnect', () => process.exit());
