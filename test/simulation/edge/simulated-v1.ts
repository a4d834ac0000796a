/** The real sandbox on virtual time, without a socket. It can be away, and it can be restarted on the same store. */
import { answerRequest } from '../../../src/sandbox/answer-request';
import type { Answer, V1Request } from '../../../src/sandbox/answer';
import { createCatalog } from '../../../src/sandbox/catalog';
import { watText } from '../../../src/sandbox/clock';
import type { SandboxConfig } from '../../../src/sandbox/load-config';
import { checkLedger } from '../../../src/sandbox/order/ledger';
import type { Order as V1Order } from '../../../src/sandbox/order/order';
import { parseTimes } from '../../../src/gateway/proof/read-history';
import { createMemoryStore } from '../../../src/sandbox/store/store';
import type { WebhookPoster } from '../../../src/sandbox/webhook/post-webhook';
import { createWorld, type World } from '../../../src/sandbox/world';
import type { Chance } from '../../chance';
import { sandboxClockOf, type Life } from '../engine/timeline';
import type { Content } from '../script/content';
import type { PriceChange } from './price-changes';
import { note, type Stage } from './stage';

// No account of the simulation has a webhook address, so nothing is ever posted.
const NO_POSTER = { isClosed: false } as unknown as WebhookPoster;
const AWAY_AFTER_START_MS = 400;
/** An account of v1 may have several keys; an account of the sandbox has one of each kind. */
const SECOND_KEYS: ReadonlyMap<string, string> = new Map([['Bearer acme_live_second', 'Bearer acme_live_demo']]);

export class SimulatedV1 {
  readonly #stage: Stage;
  readonly #config: SandboxConfig;
  readonly #dialect: Pick<Dialect, 'answer'>;
  readonly #isRelaxed: boolean;
  readonly #seed: string;
  readonly #store = createMemoryStore();
  #life: Life = { isAlive: true };
  #world: World;
  #awayUntilMs = 0;
  #prices: PriceChange;

  /** A relaxed sandbox has no rate limits. `seed` decides the references. */
  constructor(stage: Stage, config: SandboxConfig, dialect: Pick<Dialect, 'answer'>, isRelaxed = false, seed = 'simulation') {
    this.#stage = stage;
    this.#dialect = dialect;
    this.#config = config;
    this.#isRelaxed = isRelaxed;
    this.#seed = seed;
    this.#prices = { catalog: config.catalog, switchedOff: [] };
    this.#world = this.#open();
  }

  get isAway(): boolean {
    const { timeline, faults, startMs } = this.#stage;
    return timeline.now < this.#awayUntilMs || faults.isV1Down(timeline.now - startMs);
  }

  answer(request: V1Request): Answer {
    const authorization = SECOND_KEYS.get(request.authorization ?? '') ?? request.authorization;
    return this.#dialect.answer(
      { ...request, authorization },
      (asked) => answerRequest(this.#world, asked),
      this.#stage.timeline.now,
    );
  }

  /** A restart loses the memory (rate limits) and what was on the wire, but keeps the store. */
  restart(): void {
    this.#life.isAlive = false;
    this.#life = { isAlive: true };
    this.#awayUntilMs = this.#stage.timeline.now + AWAY_AFTER_START_MS;
    this.#world = this.#open();
    this.#stage.faults.count('v1_restart');
    note(this.#stage, '* v1', 'restarts');
  }

  get havePricesChanged(): boolean {
    return this.#prices.catalog !== this.#config.catalog;
  }

  changePrices(change: PriceChange): void {
    this.#prices = change;
    Object.assign(this.#world, pricedBy(change));
    this.#stage.faults.count('prices change');
    note(this.#stage, '* v1', `has other prices; switched off: ${change.switchedOff.join() || 'nothing'}`);
  }

  /** Gives v1 the provider's result of some order that is still pending. */
  settleSome(pick: (count: number) => number, result: 'success' | 'failed'): void {
    const waiting = [...this.#world.orders.all()].filter((order) => order.status === 'pending');
    const order = waiting[pick(waiting.length)];
    if (order === undefined) return;
    this.#world.cashier.settle(order, result);
    note(this.#stage, '* provider', `${order.reference} (${order.requestId}): ${result}`);
  }

  orders(): Iterable<V1Order> {
    return this.#world.orders.all();
  }

  orderOf(walletId: string, requestId: string): V1Order | undefined {
    return this.#world.orders.findByRequestId(walletId, requestId);
  }

  checkLedger() {
    return checkLedger(this.#world.ledger, this.#world.orders.all());
  }

  #open(): World {
    const world = createWorld(this.#config, this.#store, {
      clock: sandboxClockOf(this.#stage.timeline, this.#life),
      poster: NO_POSTER,
      isRelaxed: this.#isRelaxed,
      seed: this.#seed,
    });
    return { ...world, ...pricedBy(this.#prices) };
  }
}

function pricedBy({ catalog, switchedOff }: PriceChange): Pick<World, 'catalog' | 'switchedOff'> {
  return { catalog: createCatalog(catalog), switchedOff: new Set(switchedOff) };
}

type Fields = Record<string, unknown>;
type Ask = (request: V1Request) => Answer;

const HABITS = {
  /** Categories are words that the specification does not have. */
  foreign_words: 0.12,
  masked_numbers: 0.08,
  /** Shows the customer's phone in place of the meter or smartcard number. */
  contact_numbers: 0.1,
  /** Debits have a minus sign. */
  minus: 0.1,
  /** A refund is a row of its own, with the number and amount of the refunded order. */
  refund_rows: 0.3,
  /** A page has twenty rows, whatever was asked for. */
  short_pages: 0.25,
  /** A repeat gets the original with "success", whatever its outcome, and without goods. */
  lazy_originals: 0.2,
  /** A repeat is refused, and the refusal names the original. */
  refused_originals: 0.15,
  /** Receipts and history come from a copy: it shows a sale only after a while, and then as pending at first. */
  lagging_copy: 0.15,
  /** The history is sorted by its times alone: the rows of one second come in another order each time. */
  loose_order: 0.15,
  /** Receipts and history show the times of v1's records in UTC instead of West Africa Time. */
  utc_times: 0.15,
  /** The history has the newest rows alone. */
  few_rows: 0.15,
  /** Each reading asks either the original or the copy that lags. */
  some_copies: 0.15,
} as const;
type Habit = keyof typeof HABITS;

const WORDS: Readonly<Record<string, string>> = { exam_pin: 'education', recharge_card: 'voucher', airtime: 'VTU' };
const REFUND = 'RF-';
/** Together with a request that is late, less than the quiet time. */
const LAGS_MS = [5_000, 45_000, 90_000, 120_000];
/** For so long a copy that lags may show a sale as pending that v1 has ended. */
const ENDS_WITHIN_MS = 170_000;
const PER_PAGE_MOST = 50;
const FEW_ROWS = [5, 20, 60];
const WAT_OFFSET_MS = 3_600_000;

/**
 * How v1 writes the parts that its specification leaves open, sometimes carelessly. The seed decides once for a whole history. The
 * verdict reads the true order from the sandbox itself.
 */
export class Dialect {
  readonly habits: ReadonlySet<Habit>;
  readonly #order: Chance;
  readonly #copyLagMs: number;
  readonly #replicas: Chance;
  readonly #rowsMost: number;
  /** Of the copy that answers now; 0 for the original. */
  #lagMs = 0;
  #reads = 0;

  constructor(chance: Chance) {
    this.#order = chance.fork('order');
    this.#copyLagMs = chance.fork('lag').pick(LAGS_MS);
    this.#replicas = chance.fork('replicas');
    this.#rowsMost = chance.fork('rows').pick(FEW_ROWS);
    const names = Object.keys(HABITS) as Habit[];
    this.habits = new Set(chance.is(0.35) ? [] : names.filter((name) => chance.is(HABITS[name])));
  }

  /** Whether some of v1's records do not show to which order they belong, so that an order that never was may stay open. */
  get isObscure(): boolean {
    return (['foreign_words', 'masked_numbers', 'contact_numbers', 'few_rows'] as const).some((name) => this.habits.has(name));
  }

  /** Whether v1's record of this sale does not show that, or is not shown any more, so that the sale may stay open. */
  hides({ service, number }: Content): boolean {
    if (this.habits.has('few_rows')) return true;
    const isOfPhone = service === 'airtime' || service === 'data';
    if (this.habits.has('masked_numbers') || (this.habits.has('contact_numbers') && !isOfPhone)) return number !== '';
    return this.habits.has('foreign_words') && service in WORDS;
  }

  answer(request: V1Request, ask: Ask, now: number): Answer {
    const isOfCopy = this.habits.has('lagging_copy') || (this.habits.has('some_copies') && this.#replicas.is(0.5));
    this.#lagMs = isOfCopy ? this.#copyLagMs : 0;
    if (request.path === '/transactions') return this.#answerHistory(request, ask, now);
    if (request.path === '/receipt') return this.#tellReceipt(request, ask, now);
    return request.method === 'POST' ? this.#tellSale(ask(request)) : ask(request);
  }

  #tellSale(answer: Answer): Answer {
    const { duplicate, reference: failed, data } = answer.body as Fields & { data?: Fields };
    if (duplicate !== true) return answer;
    const reference = data?.['reference'] ?? failed;
    if (this.habits.has('refused_originals'))
      return { ...answer, status: 409, body: { status: 'error', message: 'This request_id was used.', duplicate: 1, reference } };
    if (this.habits.has('lazy_originals'))
      return { ...answer, status: 200, body: { status: 'success', message: 'Found.', duplicate: 'true', data: { reference } } };
    return answer;
  }

  #tellReceipt(request: V1Request, ask: Ask, now: number): Answer {
    const { reference } = request.query;
    const wanted = typeof reference === 'string' ? reference : '';
    const isRefund = this.habits.has('refund_rows') && wanted.startsWith(REFUND);
    const query = isRefund ? { ...request.query, reference: wanted.slice(REFUND.length) } : request.query;
    const answer = ask({ ...request, query });
    const data = (answer.body as { data?: Fields }).data;
    if (answer.status !== 200 || data === undefined) return answer;
    if (!this.#hasArrived(data, now)) return ask({ ...request, query: { reference: 'unknown' } });
    const shown = this.#asOfCopy(data, now);
    const told = isRefund ? { ...shown, reference: wanted, transaction_ref: wanted, type: 'credit', status: 'success' } : shown;
    return { ...answer, body: { ...answer.body, data: this.#spell(told) } };
  }

  #answerHistory(request: V1Request, ask: Ask, now: number): Answer {
    const query = this.habits.has('short_pages') ? { ...request.query, per_page: '20' } : request.query;
    const isWhole = this.#lagMs > 0 || this.habits.has('loose_order') || this.habits.has('few_rows');
    const answer = (isWhole ? this.#askAll : ask)({ ...request, query }, ask, now);
    const data = (answer.body as { data?: Fields }).data;
    if (answer.status !== 200 || data === undefined) return answer;
    const rows = (data['transactions'] as Fields[]).flatMap((one) => {
      const row = this.#asOfCopy(one, now);
      const isGivenBack = this.habits.has('refund_rows') && row['status'] === 'failed';
      const refund = { ...row, transaction_ref: `${REFUND}${String(row['transaction_ref'])}`, status: 'success' };
      return (isGivenBack ? [refund, row] : [row]).map((shown) => this.#spell(shown));
    });
    return { ...answer, body: { ...answer.body, data: { ...data, transactions: rows } } };
  }

  /** A page of all rows that are shown, in their order of now. */
  readonly #askAll = (request: V1Request, ask: Ask, now: number): Answer => {
    const rows: Fields[] = [];
    for (let page = 1; ; page += 1) {
      const answer = ask({ ...request, query: { ...request.query, page: String(page), per_page: String(PER_PAGE_MOST) } });
      const { data } = answer.body as { data?: Fields };
      if (answer.status !== 200 || data === undefined) return answer;
      rows.push(...(data['transactions'] as Fields[]));
      if (page < Number(data['total_pages'])) continue;
      const arrived = rows.filter((row) => this.#hasArrived(row, now));
      const shown = this.#inOrder(arrived).slice(0, this.habits.has('few_rows') ? this.#rowsMost : Infinity);
      const [nth, size] = [Number(request.query['page'] ?? 1), Number(request.query['per_page'] ?? 20)];
      const transactions = shown.slice((nth - 1) * size, nth * size);
      const counts = { total: shown.length, page: nth, per_page: size, total_pages: Math.ceil(shown.length / size) };
      return { ...answer, body: { ...answer.body, data: { ...data, transactions, ...counts } } };
    }
  };

  #hasArrived(record: Fields, now: number, lagMs = this.#lagMs): boolean {
    return lagMs === 0 || parseTimes(record['created_at'])[0]! <= now - lagMs;
  }

  #asOfCopy(record: Fields, now: number): Fields {
    if (this.#hasArrived(record, now, Math.min(2 * this.#lagMs, ENDS_WITHIN_MS))) return record;
    return { ...record, status: 'pending', ...('pins' in record ? { pins: [], token: null, provider_ref: null } : {}) };
  }

  #inOrder(rows: readonly Fields[]): readonly Fields[] {
    if (!this.habits.has('loose_order')) return rows;
    this.#reads += 1;
    const chance = this.#order.fork(`read ${this.#reads}`);
    const places = rows.map((row) => ({ row, at: String(row['created_at']), place: chance.next() }));
    return places.sort((one, other) => other.at.localeCompare(one.at) || one.place - other.place).map(({ row }) => row);
  }

  #spell(record: Fields): Fields {
    const { category, phone, amount } = record;
    const isPhone = category === 'airtime' || category === 'data';
    const told: Fields = { ...record };
    if (this.habits.has('utc_times')) told['created_at'] = watText(parseTimes(record['created_at'])[0]! - WAT_OFFSET_MS);
    if (this.habits.has('masked_numbers') && typeof phone === 'string' && phone !== '')
      told['phone'] = `${phone.slice(0, 4)}****${phone.slice(-3)}`;
    if (this.habits.has('contact_numbers') && !isPhone && phone !== undefined && phone !== '') told['phone'] = '08035551234';
    if (this.habits.has('minus')) told['amount'] = typeof amount === 'number' ? -amount : `-${String(amount)}`;
    if (this.habits.has('foreign_words')) told['category'] = WORDS[String(category)] ?? category;
    return told;
  }
}
