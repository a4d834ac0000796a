/** The page of the embedded sandbox: simulated accounts, wallets, moods, clock and orders. */
import express, { type Request, type Response, type Router } from 'express';
import { errorText } from '../../domain/shown-words';
import type { SandboxAdmin } from '../../sandbox/admin';
import type { AccountView, OrderView, SandboxOverview, WalletView } from '../../sandbox/overview';
import {
  badge,
  count,
  definitions,
  naira,
  notice,
  prose,
  section,
  selectField,
  table,
  textField,
  time,
  type Tone,
  hidden,
  textOf,
} from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { showPage, type ConsolePage } from '../page';

export const sandboxPage: ConsolePage = {
  path: '/sandbox',
  title: 'Sandbox',
  isShown: ({ sandbox }) => sandbox !== undefined,
  routes({ sandbox }: ConsoleParts): Router {
    const router = express.Router();
    if (sandbox === undefined) return router;
    const { admin } = sandbox;
    router.get('/', (request, response) => show(request, response, admin));
    for (const [name, { act }] of Object.entries(ACTIONS))
      router.post(`/${name}`, (request, response) => {
        try {
          act(admin, (field) => textOf(request.body, field));
        } catch (error) {
          return show(request, response, admin, errorText(error));
        }
        response.redirect(303, `/console/sandbox?said=${name}`);
      });
    return router;
  },
};

interface Action {
  readonly said: string;
  /** Throws a sentence if the action is impossible. */
  readonly act: (admin: SandboxAdmin, field: (name: string) => string) => unknown;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  fund: {
    said: 'The wallet was topped up.',
    act: (admin, field) => admin.fundWallet(keyOf(admin, field('wallet')), numberIn(field('naira').replaceAll(',', ''))),
  },
  reset: {
    said: 'The wallet has its start balance again.',
    act: (admin, field) => admin.resetWallet(keyOf(admin, field('wallet'))),
  },
  mood: {
    said: 'The next purchases of this wallet meet the mood.',
    act: (admin, field) => admin.setMood(keyOf(admin, field('wallet')), field('mood'), numberIn(field('calls'))),
  },
  clock: {
    said: 'The clock was moved.',
    act: (admin, field) => admin.advanceClock(Math.round(numberIn(field('minutes')) * 60_000)),
  },
  settle: {
    said: 'The order has come to its end.',
    act: (admin, field) => admin.settleOrder(field('reference'), field('result') === 'success' ? 'success' : 'failed'),
  },
  unlock: { said: 'Purchases are open again.', act: (admin, field) => admin.unlockPin(field('account')) },
};

/** An empty field is no number: `Number` makes 0 of it. */
const numberIn = (text: string): number => (text.trim() === '' ? NaN : Number(text));

function keyOf(admin: SandboxAdmin, walletId: string): string {
  const wallet = admin
    .overview()
    .accounts.flatMap(({ wallets }) => wallets)
    .find(({ id }) => id === walletId);
  if (wallet === undefined) throw new Error('There is no such wallet.');
  return wallet.apiKey.revealForUseOnly();
}

function show(request: Request, response: Response, admin: SandboxAdmin, problem?: string): void {
  const overview = admin.overview();
  const said = textOf(request.query, 'said');
  const done = Object.hasOwn(ACTIONS, said) ? ACTIONS[said]!.said : undefined;
  const body = [
    problem !== undefined && notice('bad', problem),
    problem === undefined && done !== undefined && notice('good', done),
    section('Accounts and wallets', walletTable(overview)),
    html`<div class="grid">
      <div class="column">${walletForms(overview)} ${clockSection(overview)}</div>
      ${moodSection(overview)}
    </div>`,
    section('Orders', orderTable(overview.orders), { note: `the newest of ${count(overview.orderCount)}` }),
  ];
  showPage(request, response, { title: 'Sandbox', body, status: problem === undefined ? 200 : 400 });
}

function walletTable({ accounts }: SandboxOverview): Html {
  const rows = accounts.flatMap((account) => account.wallets.map((wallet) => ({ account, wallet })));
  return table(
    rows,
    [
      { title: 'Account', cell: ({ account }) => html`${account.name} <span class="note">${account.id}</span>` },
      { title: 'Kind of key', cell: ({ wallet }) => wallet.mode },
      { title: 'Balance', cell: ({ wallet }) => naira(wallet.balance), isNumber: true },
      { title: 'Cashback', cell: ({ wallet }) => naira(wallet.cashback), isNumber: true },
      { title: 'Orders', cell: ({ wallet }) => count(wallet.orders), isNumber: true },
      { title: 'State', cell: ({ account, wallet }) => stateOf(account, wallet) },
    ],
    { caption: 'Wallets of the sandbox' },
  );
}

function stateOf(account: AccountView, { mood }: WalletView): Html {
  const { suspended, vendor, api_access: hasAccess, allowed_ips: addresses, isPinLocked, id } = account;
  const marks = [
    suspended && badge('bad', 'suspended'),
    !vendor && badge('warn', 'no vendor'),
    !hasAccess && badge('warn', 'no API access'),
    addresses.length > 0 && badge('info', `only from ${addresses.join(', ')}`),
    mood !== undefined && badge('info', `next ${mood.calls}: ${mood.mood}`),
    isPinLocked &&
      html`<form method="post" action="/console/sandbox/unlock" class="row">
        ${hidden('account', id)}${badge('bad', 'locked by wrong PINs')}<button>Unlock</button>
      </form>`,
  ].filter((mark) => mark !== false);
  return marks.length === 0 ? badge('good', 'open') : html`<span class="row">${marks}</span>`;
}

export function walletOptions({ accounts }: SandboxOverview): [string, string][] {
  return accounts.flatMap(({ id, name, wallets }) =>
    wallets.map((wallet): [string, string] => [wallet.id, `${name} (${id}, ${wallet.mode})`]),
  );
}

function walletForms(overview: SandboxOverview): Html {
  const wallets = selectField({ name: 'wallet', label: 'Wallet', options: walletOptions(overview) });
  return section(
    'Top up a wallet',
    html`<form method="post" action="/console/sandbox/fund" class="stack">
      ${wallets} ${textField({ name: 'naira', label: 'Naira', type: 'number', value: '10000', isRequired: true })}
      <div class="row">
        <button class="primary">Top up</button>
        <button formaction="/console/sandbox/reset" formnovalidate>Back to its start balance</button>
      </div>
    </form>`,
  );
}

function clockSection({ nowMs }: SandboxOverview): Html {
  return section(
    'Clock',
    html`${definitions([['It is', time(nowMs)]])}
      <form method="post" action="/console/sandbox/clock" class="stack">
        ${textField({ name: 'minutes', label: 'Move it forward by minutes', type: 'number', value: '10', isRequired: true, hint: 'Locks end, pending orders that are due end, webhooks are tried again. It never moves back.' })}
        <button>Move the clock</button>
      </form>`,
  );
}

/** What happens to a purchase whose number ends in these digits. */
const MOOD_WORDS: Readonly<Record<SandboxOverview['moods'][number]['name'], string>> = {
  decline: 'declined and refunded',
  'late-success': 'pending, success after 5 s',
  'late-failure': 'pending, declined and refunded after 5 s',
  pending: 'pending for ever',
  'reset-after-charge': 'charged, then the connection is reset',
  'error-after-charge': 'charged, then HTTP 500',
  'cut-after-charge': 'charged, then half a reply',
  slow: 'charged, reply after 12 s',
  'html-502': 'nothing charged, an HTML 502 page',
  'reset-before-charge': 'nothing charged, connection reset',
  processing: 'pending as `processing`, success after 5 s',
  'too-many': 'nothing charged, HTTP 429',
  'recheck-success': 'pending; success once it is asked about after two minutes',
  'recheck-failure': 'pending; declined once it is asked about after two minutes',
};

function moodSection(overview: SandboxOverview): Html {
  const { moods } = overview;
  return section(
    'Moods',
    html`<p class="note">A purchase whose phone, meter or card number ends in these digits meets the mood.</p>
      ${table(
        moods,
        [
          {
            title: 'Digits',
            cell: ({ digits }) => (digits === undefined ? html`<span class="note">by name</span>` : html`<code>${digits}</code>`),
          },
          { title: 'Mood', cell: ({ name }) => name },
          { title: 'What happens', cell: ({ name }) => prose(MOOD_WORDS[name]) },
        ],
        { caption: 'Moods of the sandbox', onPhone: 'scroll' },
      )}
      <h3>For the next purchases of a wallet, whatever their numbers</h3>
      <form method="post" action="/console/sandbox/mood" class="stack">
        <div class="fields">
          ${selectField({ name: 'mood', label: 'Mood', options: moods.map(({ name }) => [name, name]) })}
          ${textField({ name: 'calls', label: 'How many', type: 'number', value: '1', isRequired: true, hint: '0 takes it back' })}
        </div>
        ${selectField({ name: 'wallet', id: 'mood-wallet', label: 'Of the wallet', options: walletOptions(overview) })}
        <button>Set the mood</button>
      </form>`,
  );
}

const STATUS_TONES: Readonly<Record<OrderView['status'], Tone>> = {
  success: 'good',
  pending: 'info',
  processing: 'info',
  failed: 'bad',
};

function orderTable(orders: readonly OrderView[]): Html {
  return table(
    orders,
    [
      { title: 'Reference', cell: ({ reference }) => html`<code>${reference}</code>` },
      { title: 'Time', cell: ({ createdAt }) => time(createdAt) },
      { title: 'Wallet', cell: ({ walletId }) => walletId },
      { title: 'Service', cell: ({ category }) => category },
      // Only the last four digits are shown: they choose the mood, and the others may belong to a person.
      { title: 'Number', cell: ({ number }) => (number === '' ? '' : html`<code>…${number.slice(-4)}</code>`) },
      { title: 'Charged', cell: ({ charge, status }) => (status === 'failed' ? 'refunded' : naira(charge)), isNumber: true },
      { title: 'Status', cell: showStatus },
    ],
    { caption: 'Newest orders of the sandbox', empty: 'Nothing has been bought yet.' },
  );
}

function showStatus({ status, reference }: OrderView): Html {
  const mark = badge(STATUS_TONES[status], status);
  if (status !== 'pending' && status !== 'processing') return mark;
  return html`<form method="post" action="/console/sandbox/settle" class="row">
    ${mark} ${hidden('reference', reference)}
    <button name="result" value="success">Succeed</button> <button name="result" value="failed">Decline</button>
  </form>`;
}
