/** One reseller of the demo: sends the requests of its script, and reads replies as the script does. */
import { request } from 'undici';
import { chooseOne, chooseWeighted, drawValues, fill, type ResellerScript, type Shop, type Visit } from './shop';

/** What the script has concluded about an order so far. `waiting` covers everything that the script takes neither for sold nor for failed. */
type Conclusion = 'sold' | 'failed' | 'waiting';

export interface SentOrder {
  readonly sent: Sent;
  /** False for a sale without an id of its own: sent again, it would be another sale. */
  readonly isRepeatable: boolean;
  conclusion: Conclusion;
  /** The id for questions about the order: the request id that the script sent, else the id in the reply. */
  id: string | undefined;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

type Reply = Readonly<Record<string, unknown>>;

const WAIT_MS = 200_000;

export class Reseller {
  readonly script: ResellerScript;
  readonly orders: SentOrder[] = [];
  /** Counts replies that belong to no order: of looks, mistakes and wrong keys. */
  refused = 0;
  readonly #shop: Shop;
  readonly #url: string;
  readonly #random: () => number;
  readonly #run: string;
  #serial = 0;
  #token: string | undefined;

  /** `url` is the address of the gateway; `run` makes the ids of this demo differ from those of other demos. */
  constructor(shop: Shop, script: ResellerScript, { url, run, random }: { url: string; run: string; random: () => number }) {
    this.script = script;
    this.#shop = shop;
    this.#url = url;
    this.#run = run;
    this.#random = random;
  }

  /** Never throws: without a reply the order stays `waiting`, as for a real script. */
  async visit(kind: Visit): Promise<void> {
    const last = chooseOne(this.orders, this.#random) as SentOrder | undefined;
    if (kind === 'repeat' && last?.isRepeatable === true) return this.#repeat(last);
    if (kind === 'status' && last !== undefined) return this.#askStatus(last);
    if (kind === 'look') return this.#lookAt(chooseOne(this.script.looks, this.#random));
    if (kind === 'mistake') return this.#mistake();
    if (kind === 'wrong_key') return this.#tryWrongKey();
    return this.#sell();
  }

  /** Asks for the status of an order, as the script or its owner does when the end is unknown. */
  async #askStatus(order: SentOrder): Promise<void> {
    if (order.id === undefined) return;
    const reply = await this.#call({
      ...readSend(fill(this.script.status, { id: encodeURIComponent(order.id) })),
      body: undefined,
    });
    if (reply !== undefined) this.#conclude(order, reply);
  }

  async #sell(): Promise<void> {
    const sale = chooseWeighted(
      this.script.sales.map((one) => [one, one.often] as const),
      this.#random,
    );
    const chosen = Object.entries(sale.choose).map(([name, values]) => [name, chooseOne(values, this.#random)] as const);
    const values = { ...this.#values(), ...Object.fromEntries(chosen) };
    const order: SentOrder = {
      sent: { ...readSend(sale.send), body: fill(sale.body, values) },
      isRepeatable: sale.has_id,
      conclusion: 'waiting',
      id: sale.has_id ? String(values['id']) : undefined,
    };
    this.orders.push(order);
    await this.#send(order);
  }

  /** Sends the order again. An order that failed may be sold by that. */
  async #repeat(order: SentOrder): Promise<void> {
    if (order.conclusion === 'failed') order.conclusion = 'waiting';
    await this.#send(order);
  }

  async #send(order: SentOrder): Promise<void> {
    const reply = await this.#call(order.sent);
    if (reply !== undefined) this.#conclude(order, reply);
  }

  #conclude(order: SentOrder, reply: Reply): void {
    const { status, sold, failed, id } = this.script.reads;
    const told = reply[id];
    if (typeof told === 'string' && told !== '') order.id ??= told;
    // A conclusion of sold or failed is final.
    if (order.conclusion !== 'waiting') return;
    const word = reply[status];
    if (typeof word !== 'string') return;
    if (sold.includes(word)) order.conclusion = 'sold';
    else if (failed.includes(word)) order.conclusion = 'failed';
  }

  async #lookAt(send: string): Promise<void> {
    await this.#call({ ...readSend(fill(send, this.#values())), body: undefined });
  }

  async #mistake(): Promise<void> {
    const { send, body } = chooseOne(this.script.mistakes, this.#random);
    await this.#call({ ...readSend(send), body: fill(body, this.#values()) });
    this.refused += 1;
  }

  async #tryWrongKey(): Promise<void> {
    const { send, body } = this.script.sales[0]!;
    const sent = { ...readSend(send), body: fill(body, { ...this.#values(), amount: 100 }) };
    await this.#call(sent, `Token ${this.script.key}_old:${this.script.pin}`);
    this.refused += 1;
  }

  #values(): Record<string, string | number> {
    return drawValues(this.#shop, this.script, `${this.#run}${(this.#serial += 1)}`, this.#random);
  }

  /** The reply; undefined if none came or if it is not JSON. */
  async #call(sent: Sent, authorization?: string): Promise<Reply | undefined> {
    try {
      return await this.#fetch(sent, authorization ?? (await this.#authorization()));
    } catch {
      return undefined;
    }
  }

  async #authorization(): Promise<string> {
    const { login, key, pin } = this.script;
    if (login === undefined) return `Token ${key}:${pin}`;
    if (this.#token === undefined) {
      const basic = `Basic ${Buffer.from(`${key}:${pin}`).toString('base64')}`;
      const reply = await this.#fetch({ ...readSend(login.send), body: undefined }, basic);
      this.#token = String(reply[login.token]);
    }
    return `Token ${this.#token}`;
  }

  async #fetch({ method, path, body }: Sent, authorization: string): Promise<Reply> {
    const { headers, waits } = this.script;
    const waitMs = waits === undefined ? WAIT_MS : Number(waits.slice(0, -1)) * 1_000;
    const answer = await request(`${this.#url}${path}`, {
      method: method === 'GET' ? 'GET' : 'POST',
      headers: { ...headers, authorization },
      ...(body === undefined ? {} : { body }),
      headersTimeout: waitMs,
      bodyTimeout: waitMs,
      signal: AbortSignal.timeout(waitMs),
    });
    const reply: unknown = JSON.parse(await answer.body.text());
    return (reply ?? {}) as Reply;
  }
}

function readSend(send: string): { readonly method: string; readonly path: string } {
  const [method = 'GET', path = '/'] = send.split(' ');
  return { method, path };
}
