import { sharePatience, sharePinTurns } from '../../src/cluster/ask-primary';
import { pause } from '../../src/domain/clock';
import { createKeyring } from '../../src/gateway/read/keyring';
import { createLearntPatience } from '../../src/gateway/order/learnt-patience';
import { createPinGuard } from '../../src/gateway/order/pin-guard';
import { Secret } from '../../src/domain/credentials';
import { createVirtualClock } from '../domain/virtual-clock';
import { createScriptedUpstream, CREDENTIALS } from '../gateway/scripted-upstream';

test('a purchase has no more time to leave than before it asked a primary that then dies', async () => {
  const clock = createVirtualClock();
  const upstream = createScriptedUpstream(clock, [{ outcome: { kind: 'succeeded', reference: 'V1' } }]);
  const die = (): Promise<never> => pause(clock, 9_000).then(() => Promise.reject(new Error('The other process is gone.')));
  const channel = { ask: die, tell: () => undefined };
  const send = sharePinTurns({ channel, clock }, upstream, createPinGuard(clock, createKeyring(new Secret('s'.repeat(32)))));
  const context = { credentials: CREDENTIALS, clientAddress: '192.0.2.7', timeoutMs: 30_000, leaveWithinMs: 10_000 };
  const sent = send({ method: 'POST', path: '/airtime', body: {} }, 'r-1', context);
  await clock.advance(9_000);
  await sent;
  expect(upstream.sent).toMatchObject([{ timeoutMs: 21_000, leaveWithinMs: 1_000 }]);
});

test('the other workers hear of each hang-up that shows a limit, and of each longer wait that disproves one', () => {
  const told: (readonly [kind: string, ageMs: number])[] = [];
  const channel = { tell: (kind: string, value: unknown) => void told.push([kind, (value as { ageMs: number }).ageMs]) };
  const learnt = sharePatience(channel, createLearntPatience());
  for (const ageMs of [300, 9_000, 8_000]) learnt.answered('key', 'axios', ageMs);
  for (const ageMs of [300, 5_000, 20_000]) learnt.hangUp('key', 'axios', ageMs);
  expect(told).toEqual([
    ['answered', 9_000],
    ['hungUp', 20_000],
  ]);
});
