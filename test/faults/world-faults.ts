/** Faults that strike all traffic: no connection, moods of v1, the journal, the clock. Each has a house of its own. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { GatewayError } from '../../src/domain/errors';
import type { Journal } from '../../src/journal/journal';
import { MOODS, type MoodName } from '../../src/sandbox/order/mood';
import { SELF_SIGNED } from '../upstream/self-signed';
import { alwaysIsolated, type IsolatedFault, type Fault } from './fault';
import { replyBytes } from './fault-proxy';
import type { TimingName } from './timing';

export const CONNECTION_FAULTS: readonly Fault[] = [
  alwaysIsolated('connection refused', 'unreachable', { begin: (proxy) => proxy.stopListening() }),
  {
    title: 'connection refused for half a second',
    lasts: 'once',
    timing: 'patient',
    isolated: {
      async begin(proxy) {
        await proxy.stopListening();
        setTimeout(() => void proxy.listen(), 500);
      },
    },
  },
  alwaysIsolated('name not found', 'unreachable', { upstreamUrl: () => 'http://nonexistent.invalid/api/v1', isForGood: true }),
  alwaysIsolated('TLS to a server that speaks none', 'unreachable', {
    upstreamUrl: ({ url }) => url.replace('http:', 'https:'),
    isForGood: true,
  }),
  alwaysIsolated('TLS with a certificate that nobody vouches for', 'unreachable', {
    upstreamUrl: ({ url }) => url.replace('http:', 'https:'),
    onConnection: greetInTls(),
    isForGood: true,
  }),
  { ...alwaysIsolated('connection taken and closed', 'impatient', { onConnection: (socket) => socket.end() }), isRace: true },
  {
    ...alwaysIsolated('connection taken and reset', 'impatient', { onConnection: (socket) => socket.resetAndDestroy() }),
    isRace: true,
  },
  alwaysIsolated('connection taken, nothing is ever read', 'impatient', { onConnection: (socket) => void socket.pause() }),
  alwaysIsolated('reset when the headers have been read', 'impatient', { onPurchaseBytes: (socket) => socket.resetAndDestroy() }),
  {
    title: 'kept connections are closed just when the request leaves',
    lasts: 'once',
    timing: 'patient',
    isolated: { hasPrelude: true, begin: (proxy) => proxy.dropIdle() },
  },
  {
    title: 'v1 never sees the request, the answer to an earlier order comes back',
    lasts: 'once',
    timing: 'patient',
    isolated: { hasPrelude: true },
    strike: ({ socket, requestId, answerTo }) => socket.write(replyBytes(answerTo(`before.${requestId}`)!)),
  },
  {
    title: 'charged, the answer is that of an earlier order',
    lasts: 'once',
    timing: 'patient',
    isolated: { hasPrelude: true },
    async strike({ socket, requestId, forward, answerTo }) {
      await forward();
      socket.write(replyBytes(answerTo(`before.${requestId}`)!));
    },
  },
];

function greetInTls(): NonNullable<IsolatedFault['onConnection']> {
  // This server never listens; the proxy hands its connections to it.
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
      timing: 'patient, short attempts',
      isolated: { clockJumpMs },
      strike: ({ forward }) => forward(),
    },
    { title: `mood \`pending\`, and ${jump}`, lasts: 'once', timing: 'impatient', mood: 'pending', isolated: { clockJumpMs } },
  ];
});

type JournalFault = (journal: Journal, isLifted: () => boolean) => Partial<Journal>;

/** Faults that the journal's contract allows (src/journal/journal.ts): every write refused, lost or late. */
function ofJournal(title: string, timing: TimingName, spoil: JournalFault): Fault {
  return alwaysIsolated(title, timing, { journal: (whole, isLifted) => ({ ...whole, ...spoil(whole, isLifted) }) });
}

const full = (): never => {
  throw new GatewayError('journal_unavailable', undefined, { cause: new Error('ENOSPC: no space left on device') });
};
const unwritable = (): never => {
  throw new Error('The journal could not be written: ENOSPC: no space left on device');
};

export const JOURNAL_FAULTS: readonly Fault[] = [
  ofJournal('disk full before the order is open', 'patient', (journal, isLifted) => ({
    open: async (intent) => (isLifted() ? journal.open(intent) : full()),
  })),
  ofJournal('the order is on disk, but the disk never says so', 'patient', (journal, isLifted) => ({
    async open(intent) {
      const opened = await journal.open(intent);
      return isLifted() ? opened : full();
    },
  })),
  ofJournal('the journal throws what it must not', 'patient', (journal, isLifted) => ({
    open: async (intent) => (isLifted() ? journal.open(intent) : unwritable()),
  })),
  ofJournal('disk full when the outcome is to be written', 'impatient', (journal, isLifted) => ({
    settle: async (...settling) => (isLifted() ? journal.settle(...settling) : unwritable()),
  })),
  ofJournal('the outcome is on disk, but the disk never says so', 'impatient', (journal, isLifted) => ({
    async settle(...settling) {
      const order = await journal.settle(...settling);
      return isLifted() ? order : unwritable();
    },
  })),
  ofJournal('the journal takes two seconds for each write', 'patient', (journal, isLifted) => ({
    async open(intent) {
      await sleep(isLifted() ? 0 : 2_000);
      return journal.open(intent);
    },
    async settle(...settling) {
      await sleep(isLifted() ? 0 : 2_000);
      return journal.settle(...settling);
    },
  })),
];

/** Only for a journal on a real disk. */
export const FOLDER_FAULT: Fault = alwaysIsolated('the journal folder is deleted while the gateway runs', 'patient', {
  spoil: (dataDir) => rmSync(join(dataDir, 'journal'), { recursive: true }),
});
