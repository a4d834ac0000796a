import { GatewayError } from '../../src/domain/errors';
import { openRequestDoor, speak } from './request-door';
import type { RequestDoor } from './request-door';

describe('readHeaders', () => {
  let door: RequestDoor;
  beforeAll(async () => {
    door = await openRequestDoor();
  });
  afterAll(() => door.close());

  const refusal = (): string => {
    const last = door.read.at(-1);
    return last instanceof GatewayError ? `${last.code}: ${last.detail}` : 'read';
  };

  test('differing keys are refused, equal ones are one', async () => {
    const send = (...headers: string[]) =>
      speak(door.port, `GET / HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
    await send('Authorization: Token a', 'authorization: Token b');
    expect(refusal()).toBe('bad_credentials: Several authorization headers with different values were sent.');
    await send('Token: a', 'Token: b');
    expect(refusal()).toBe('bad_credentials: Several token headers with different values were sent.');
    await send('Token: a', 'TOKEN: a');
    expect(door.read.at(-1)).toMatchObject({ headers: { token: 'a' } });
  });
});
