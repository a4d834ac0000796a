import { EventEmitter } from 'node:events';
import { deserialize, serialize } from 'node:v8';
import {
  openChannel,
  settingsSent,
  settingsToSend,
  type MessageHandlers,
  type Channel,
  type Peer,
} from '../../src/cluster/channel';
import { configFor } from '../flows/house';

/** The two ends of a channel in one process; a message arrives in the next turn. */
function openPair(
  one: MessageHandlers,
  other: MessageHandlers,
): { readonly ends: readonly [Channel, Channel]; readonly cut: () => void } {
  const [left, right] = [new EventEmitter(), new EventEmitter()];
  const peer = (own: EventEmitter, far: EventEmitter): Peer =>
    Object.assign(own, { send: (message: unknown) => setImmediate(() => far.emit('message', message)) });
  return {
    ends: [openChannel(peer(left, right), one), openChannel(peer(right, left), other)],
    cut: () => [left, right].forEach((end) => end.emit('disconnect')),
  };
}

test('each question gets its own answer, whichever comes first', async () => {
  const { ends } = openPair(
    {},
    { double: async (value: number) => (value === 1 ? new Promise((r) => setTimeout(r, 20, 2)) : value * 2) },
  );
  expect(await Promise.all([ends[0].ask('double', 1), ends[0].ask('double', 4)])).toEqual([2, 8]);
});

test('a message sent before an answer arrives before it', async () => {
  const heard: string[] = [];
  const { ends } = openPair(
    { told: (word: string) => void heard.push(word) },
    {
      turn: () => {
        ends[1].tell('told', 'first');
        return 'granted';
      },
    },
  );
  await ends[0].ask('turn').then(() => heard.push('granted'));
  expect(heard).toEqual(['first', 'granted']);
});

test('an error at the other end rejects the question, with its message', async () => {
  const { ends } = openPair({}, { fail: () => Promise.reject(new Error('no such set')) });
  await expect(ends[0].ask('fail')).rejects.toThrow('no such set');
});

test('open questions and later ones are rejected when the other end is gone', async () => {
  const { ends, cut } = openPair({}, { never: () => new Promise(() => undefined) });
  const waiting = ends[0].ask('never');
  cut();
  await expect(waiting).rejects.toThrow('gone');
  await expect(ends[0].ask('never')).rejects.toThrow('gone');
});

test('settings arrive as they are, secrets too', () => {
  const config = configFor('/data', { GATEWAY_SECRET: 's'.repeat(32), TRUSTED_PROXIES: '10.0.0.0/8', MAPPINGS_WATCH: '1' });
  const arrived = settingsSent(deserialize(serialize(settingsToSend(config))) as ReturnType<typeof settingsToSend>);
  expect(arrived).toEqual(config);
  expect(arrived.gatewaySecret?.revealForUseOnly()).toBe('s'.repeat(32));
});
