/** The page of callers: what each one sends, may do and has done, and the switch that pauses it. */
import express, { type Request, type Response } from 'express';
import { errorText } from '../../domain/shown-words';
import { callerName, findCaller } from '../../mapping/caller-name';
import { hashOf } from '../../mapping/load';
import type { Problem } from '../../mapping/problem';
import { createCallersReader, type CallerView } from '../callers/read-callers';
import { callerSections } from '../callers/sections';
import { ago, badge, count, naira, notice, section, table, textField, textOf, type Column } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html, type Writable } from '../html';
import { problemsInPlace } from '../mappings/show-files';
import { showPage, type ConsolePage } from '../page';
import { inBackground } from '../work/in-background';
import type { Report } from '../work/jobs';

export const callersPage: ConsolePage = {
  path: '/callers',
  title: 'Callers',
  routes(parts: ConsoleParts) {
    const reader = createCallersReader(parts);
    const router = express.Router();
    const showCaller = async (fingerprint: string, request: Request, response: Response, words?: Html): Promise<void> => {
      const found = await reader.find(fingerprint);
      if (found === undefined) {
        const body = notice('warn', 'No caller with this fingerprint is in callers.yaml or has sent a request lately.');
        return showPage(request, response, { title: 'Callers', body, status: 404 });
      }
      const body = html`${words} ${callerSections(found, parts)}`;
      showPage(request, response, {
        title: found.caller.name,
        body,
        styles: ['mappings.css'],
        status: words === undefined ? 200 : 409,
      });
    };
    const change = async (request: Request, response: Response, paused: boolean | string): Promise<void> => {
      const fingerprint = String(request.params['fingerprint']);
      const changed = await changeCaller(parts, fingerprint, paused);
      if (changed.kind === 'done') return response.redirect(303, `/console/callers/${fingerprint}`);
      const words = html`${notice('bad', changed.words)} ${changed.problems.length > 0 && problemsInPlace(changed.problems)}`;
      await showCaller(fingerprint, request, response, words);
    };

    router.get('/', async (request, response) => {
      const wanted = textOf(request.query, 'q');
      let words: Html | undefined;
      if (wanted !== '') {
        try {
          return response.redirect(303, `/console/callers/${findCaller(wanted, parts.live.current())}`);
        } catch (error) {
          words = notice('warn', errorText(error));
        }
      }
      const { callers, further } = await reader.list();
      showPage(request, response, { title: 'Callers', body: html`${words} ${listBody(callers, further, parts)}` });
    });
    router.param('fingerprint', (_request, response, next, fingerprint: string) =>
      /^[0-9a-f]{32}$/.test(fingerprint) ? next() : void response.redirect(303, '/console/callers'),
    );
    router.get('/:fingerprint', (request, response) => showCaller(String(request.params['fingerprint']), request, response));
    router.post('/:fingerprint/pause', (request, response) => {
      const told = textOf(request.body, 'text').trim();
      return change(request, response, told === '' ? true : told);
    });
    router.post('/:fingerprint/go-on', (request, response) => change(request, response, false));
    return router;
  },
};

function listBody(callers: readonly CallerView[], further: number, parts: ConsoleParts): Html {
  const now = parts.clock.now();
  const [named, others] = [callers.filter(({ isListed }) => isListed), callers.filter(({ isListed }) => !isListed)];
  const columns = columnsAt(now);
  return html`${section(
    'In callers.yaml',
    html`${further > 0 && searchForm(further)}
    ${table(named, [...columns, WALLET], {
      caption: 'Callers that callers.yaml names',
      empty: html`No key has an entry yet. <code>compat-gateway fingerprint</code> prints the fingerprint of a key; write it
        there, with a title such as <code>title: Ada</code>.`,
    })}`,
    { note: count(named.length + further), isWide: true },
  )}
  ${section(
    'Others that came lately',
    parts.traffic === undefined
      ? notice('info', 'Requests are not recorded (TRAFFIC_SHAPES is off), so other keys are not known.')
      : table(others, columns, { caption: 'Keys that came lately and have no entry', empty: 'No other key came lately.' }),
    { note: count(others.length), isWide: true },
  )}`;
}

function searchForm(further: number): Html {
  return html`${notice('info', `These were seen last. Further ${count(further)} are found by title or fingerprint.`)}
    <form method="get" action="/console/callers">
      ${textField({ name: 'q', label: 'Title or fingerprint', type: 'search' })}<button>Find</button>
    </form>`;
}

function columnsAt(now: number): readonly Column<CallerView>[] {
  return [
    {
      title: 'Caller',
      cell: (caller) => html`<a href="/console/callers/${caller.fingerprint}">${caller.name}</a> ${stateOf(caller)}`,
    },
    { title: 'Last seen', cell: ({ lastSeenMs }) => (lastSeenMs === undefined ? notKnown('not lately') : ago(lastSeenMs, now)) },
    { title: 'Scripts', cell: ({ formats, families }) => scriptsOf(formats, families) },
    {
      title: 'Orders today',
      cell: ({ usage }) => (usage === undefined ? notKnown('being counted') : count(usage.today.orders)),
      isNumber: true,
    },
    { title: 'Naira today', cell: ({ usage }) => usage && naira(usage.today.amount), isNumber: true },
    { title: 'Refused', cell: ({ refusals }) => count(sumOf(refusals)), isNumber: true },
  ];
}

/** Balances are known of keys in callers.yaml only. */
const WALLET: Column<CallerView> = {
  title: 'Wallet',
  cell: ({ wallet }) => (wallet === undefined ? notKnown('not seen') : naira(wallet.balance)),
  isNumber: true,
};

const notKnown = (words: string): Html => html`<span class="note">${words}</span>`;

const sumOf = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

function stateOf({ key }: CallerView): Writable {
  if (key.pausedText !== undefined) return badge('warn', 'paused');
  if (key.isSandboxed) return badge('info', 'sandbox');
  return key.limit !== undefined && badge('none', 'limited');
}

function scriptsOf(formats: CallerView['formats'], families: CallerView['families']): string {
  const formatWords = formats.map((format) => `format ${format.toUpperCase()}`);
  return [...formatWords, ...families.map(({ id }) => id)].join(', ');
}

type Changed =
  | { readonly kind: 'done' }
  /** Refused, with the reason in `words` for the operator; nothing was changed. */
  | { readonly kind: 'not_done'; readonly words: Writable; readonly problems: readonly Problem[] };

/** Pauses a caller or lets it continue, by an edit of callers.yaml that comes into use in all processes or not at all. */
async function changeCaller(
  { live, everywhere }: Pick<ConsoleParts, 'live' | 'everywhere'>,
  fingerprint: string,
  paused: boolean | string,
): Promise<Changed> {
  const running = live.current();
  const files = live.files().map(({ file, name = file, text }) => ({ name, text }));
  const notDone = (words: Writable, problems: readonly Problem[] = []): Changed => ({ kind: 'not_done', words, problems });
  let changed: Report<'pause'>;
  try {
    changed = await inBackground('pause', { files, fingerprint, paused });
  } catch (error) {
    return notDone(errorText(error));
  }
  const hash = hashOf(changed.map(({ name, text }) => ({ file: name, text })));
  const cause = { by: 'pause', who: 'console', caller: callerName(running, fingerprint) } as const;
  const applied = await live.apply(changed, hash, running.hash, cause);
  switch (applied.kind) {
    case 'reloaded':
    case 'unchanged':
      await everywhere();
      return { kind: 'done' };
    case 'refused':
      return notDone('With this change the mapping would not be usable.', applied.problems);
    case 'folder_unreadable':
      return notDone('The mappings folder cannot be read. Mend or remove what is named below. Then try again.', applied.problems);
    case 'edited_meanwhile':
      // Not "reload": a reload would bring edits into use that nobody has planned, perhaps those of a colleague.
      return notDone(
        html`The mappings folder has edits that are not in use. Open <a href="/console/mappings">Mappings</a> and plan these
          edits, or put the folder back (they are lost). Then try again.`,
      );
    case 'running_changed':
      if (applied.hash !== hash) return notDone('Another mapping came into use at this moment: try again.');
      // The first of two clicks, or another operator, has brought this very set into use.
      await everywhere();
      return { kind: 'done' };
    case 'unwritable':
      return notDone(`Nothing can be written into ${applied.folder}: ${applied.detail}`);
  }
}
