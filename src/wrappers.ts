/**
 * Everything that stands around the journal and around v1, from the inside to the outside. The gateway gets both only so wrapped, and puts the
 * wrappers that selling needs around v1 (`walk-parts`). A wrapper passes on all arguments, also those that it does not know.
 */
import type { Tools } from './around';
import type { KeyGuard } from './gateway/key-guard';
import type { Sets } from './gateway/read/earlier-set';
import type { Journal } from './journal/journal';
import type { Notes } from './orders/notes';
import { withSandboxedKeys } from './start/sandboxed-keys';
import { loggedJournal } from './telemetry/log';
import { listenToAnswers } from './upstream/listen-to-answers';
import type { Upstream } from './upstream/upstream';
import { countSales, listenToSettled, sayContraryEnds } from './watch/settled-orders';

export function wrapJournal(
  journal: Journal,
  tools: Pick<Tools, 'traces' | 'log' | 'metrics' | 'showId' | 'observer'>,
  sets: () => Sets,
): Journal {
  const traced = tools.traces?.journal(journal) ?? journal;
  const logged = loggedJournal(traced, tools.log, tools.showId);
  const listeners = [sayContraryEnds({ ...tools, sets }), countSales({ ...tools, sets })];
  return listenToSettled(logged, listeners, (error) => tools.observer.trouble('watching', error));
}

interface Around extends Pick<Tools, 'traces' | 'wallets' | 'clock' | 'closers' | 'observer'> {
  readonly sandboxUrl: () => Promise<string>;
  readonly keyGuard: Pick<KeyGuard, 'listener'>;
  readonly notes: Pick<Notes, 'listener'>;
}

export function wrapUpstream(v1: Upstream, around: Around): Upstream {
  const { clock, observer } = around;
  const traced = around.traces?.upstream(v1) ?? v1;
  const branched = withSandboxedKeys(traced, around.sandboxUrl, around);
  const listeners = [around.keyGuard.listener, around.wallets.listener, around.notes.listener];
  return listenToAnswers(branched, listeners, { clock, onTrouble: (error) => observer.trouble('watching', error) });
}
