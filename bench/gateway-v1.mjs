// The v1 of the gateway's benchmarks: answers at once, and never twice with one reference. Sells nothing, checks nothing but the key.
import { createServer } from 'node:net';
import { eachMessage, message } from './gateway-wire.mjs';

const catalog = process.env.BENCH_CATALOG;
let orders = 0;

function sold() {
  const reference = `TXN${String((orders += 1)).padStart(12, '0')}`;
  const data = { reference, cashback_earned: 1.5, balance_before: 25_000.75, balance_after: 24_903.25 };
  return { status: 'success', message: 'Airtime purchase successful', data };
}

const verified = JSON.stringify({ status: 'success', data: { name: 'ADA OBI', customer_name: 'ADA OBI' } });

function answerTo(target) {
  if (target.startsWith('/airtime') || target.startsWith('/v1/airtime')) return JSON.stringify(sold());
  if (target.startsWith('/catalog')) return catalog;
  if (target.startsWith('/validate')) return verified;
  return JSON.stringify({ status: 'error', message: 'Not a question of this benchmark.' });
}

const UNKNOWN_KEY = message('HTTP/1.1 401 Unauthorized', [], JSON.stringify({ status: 'error', message: 'Invalid API key' }));

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => socket.destroy());
  eachMessage(socket, (head) => {
    if (!head.includes(' bench_key')) return socket.write(UNKNOWN_KEY);
    socket.write(message('HTTP/1.1 200 OK', [], answerTo(head.split(' ', 2)[1])));
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('disconnect', () => process.exit());
