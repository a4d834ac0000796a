/** A database that takes a connection and says in the same breath that it ends it, as one does that is stopped at that moment. */
import { createServer } from 'node:net';
import { Database } from '../../../src/journal/postgres/database';
import { listen } from '../../listen';

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const SIGNED_IN = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const LAST_WORDS = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

test('a connection that ends before anybody uses it fails its statement alone', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(Buffer.concat([SIGNED_IN, READY, LAST_WORDS])));
  });
  const { port, close } = await listen(server);
  const database = new Database({ url: `postgres://gateway@127.0.0.1:${port}/orders`, statementMs: 500 });
  try {
    await expect(database.read('SELECT 1')).rejects.toThrow('PostgreSQL: ');
  } finally {
    await database.close();
    await close();
  }
});
