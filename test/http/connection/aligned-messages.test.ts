import { closeServers, ok, openServer } from '../open-server';
import { speak } from '../request-door';

afterEach(closeServers);

test('requests and responses already have the prototypes that Express sets', async () => {
  const prototypes: boolean[] = [];
  const { port, server } = await openServer(ok);
  server.server.prependListener('request', (request, response) => {
    const before = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)];
    response.once('finish', () => {
      prototypes.push(Object.getPrototypeOf(request) === before[0], Object.getPrototypeOf(response) === before[1]);
    });
  });
  await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(prototypes).toEqual([true, true]);
});
