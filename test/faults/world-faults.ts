/** Faults that strike whatever comes: no connection, moods of v1, the journal, the clock. Each has a house of its own. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { MOODS, type MoodName } from '../../src/sandbox/order/mood';
import { SELF_SIGNED } from '../upstream/self-signed';
import type { Alone, Fault } from './fault';
import { replyBytes } from './fault-proxy';
import type { TimingName } from './timing';

const always = (title: string, timing: TimingName, alone: Alone): Fault => ({ title, lasts: 'always', timing, alone });

export const CONNECTION_FAULTS: readonly Fault[] = [
  always('connection refused', 'unreachable', { begin: (proxy) => proxy.deafen() }),
  {
    title: 'connection refused for half a second',
    lasts: 'once',
    timing: 'patient',
    alone: {
      async begin(proxy) {
        await proxy.deafen();
        setTimeout(() => void proxy.listen(), 500);
      },
    },
  },
  always('name not found', 'unreachable', { upstreamUrl: () => 'http://nonexistent.invalid/api/v1', isForGood: true }),
  always('TLS to a server that speaks none', 'unreachable', {
    upstreamUrl: ({ url }) => url.replace('http:', 'https:'),
    isForGood: true,
  }),
  always('TLS with a certificate that nobody vouches for', 'unreachable', {
    upstreamUrl: ({ url }) => url.replace('http:', 'https:'),
    onConnection: greetInTls(),
    isForGood: true,
  }),
  { ...always('connection taken and closed', 'impatient', { onConnection: (socket) => socket.end() }), isRace: true },
  { ...always('connection taken and reset', 'impatient', { onConnection: (socket) => socket.resetAndDestroy() }), isRace: true },
  always('connection taken, nothing is ever read', 'impatient', { onConnection: (socket) => void socket.pause() }),
  always('reset when the headers have been read', 'impatient', { onPurchaseBytes: (socket) => socket.resetAndDestroy() }),
  {
    title: 'kept connections are closed just when the request leaves',
    lasts: 'once',
    timing: 'patient',
    alone: { hasPrelude: true, begin: (proxy) => proxy.dropIdle() },
  },
  {
    title: 'v1 never sees the request, the answer to an earlier order comes back',
    lasts: 'once',
    timing: 'patient',
    alone: { hasPrelude: true },
    strike: ({ socket, requestId, answerTo }) => socket.write(replyBytes(answerTo(`before.${requestId}`)!)),
  },
  {
    title: 'charged, the answer is that of an earlier order',
    lasts: 'once',
    timing: 'patient',
    alone: { hasPrelude: true },
    async strike({ socket, requestId, forward, answerTo }) {
      await forward();
      socket.write(replyBytes(answerTo(`before.${requestId}`)!));
    },
  },
];

function greetInTls(): NonNullable<Alone['onConnection']> {
  // Never listens: it is handed the proxy's connections.
  const server = createTlsServer(SELF_SIGNED).on('tlsClientError', () => undefined);
  return (socket) => void server.emit('connection', socket);
}

const MOOD_TIMINGS: Readonly<Partial<Record<MoodName, TimingName>>> = {
  pending: 'impatient',
  'recheck-success': 'impatient',
  'recheck-failure': 'impatient',
};

export const MOOD_FAULTS: readonly Fault[] = (Object.keys(MOODS) as MoodName[]).map((mood) => ({
  title: `mood \`${mood}\``,
  lasts: 'once',
  timing: MOOD_TIMINGS[mood] ?? 'patient',
  mood,
}));

export const CLOCK_FAULTS: readonly Fault[] = [3_600_000, -3_600_000].flatMap((clockJumpMs): readonly Fault[] => {
  const jump = `the clock jumps an hour ${clockJumpMs > 0 ? 'ahead' : 'back'} meanwhile`;
  return [
    {
      title: `charged, the answer is lost, and ${jump}`,
      lasts: 'once',
      timing: 'patient, short tries',
      alone: { clockJumpMs },
      strike: ({ forward }) => forward(),
    },
    { title: `mood \`pending\`, and ${jump}`, lasts: 'once', timing: 'impatient', mood: 'pending', alone: { clockJumpMs } },
  ];
});

/** Only with the journal's own disk. */
export const FOLDER_FAULT: Fault = always('the journal folder is deleted while the gateway runs', 'patient', {
  spoil: (dataDir) => rmSync(join(dataDir, 'journal'), { recursive: true }),
});
