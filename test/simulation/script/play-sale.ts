/** A script at work: it buys, hangs up, repeats and asks, and acts on the replies. */
import type { JsonObject } from '../../../src/domain/json';
import type { LegacyHeaders, LegacyRequest } from '../../../src/domain/legacy';
import type { Answer as V1Answer } from '../../../src/sandbox/answer';
import { shortenRequestId } from '../../../src/gateway/read/read-raw';
import type { GatewayProcess, Heard } from '../edge/gateway-process';
import { note, type Stage } from '../edge/stage';
import { type Case, type Purchase, type ScriptReply, type Word, wordOf } from '../verdict/case-book';
import type { Verdict } from '../verdict/verdict';
import type { Chance } from '../../chance';
import { buildV1Call, servedBy, type Content, type SentValue } from './content';
import type { Move, Sale, ScriptKey } from './sale';
import { buildScriptRequest, drawQuestion, keyHeaders, loginHeaders } from './spell-request';

export interface Surroundings {
  readonly stage: Stage;
  readonly verdict: Verdict;
  /** The process that a new connection reaches, if any. */
  readonly reach: (choice: number) => GatewayProcess | undefined;
  readonly ownerOf: (apiKey: string) => string;
  /** Buys at v1 without any gateway. */
  readonly sellDirectly: (key: ScriptKey, path: string, body: Readonly<Record<string, unknown>>) => V1Answer;
}

/** The reply that a script got, or undefined when none came. */
type Seen = { readonly word: Word; readonly http: number; readonly body: JsonObject } | undefined;

/** The HTTP errors after which a script that leaves its id out of repeats sends again. */
const REPEATED: readonly number[] = [408, 425, 429, 500, 502, 503, 504];

export class Script {
  readonly sale: Sale;
  readonly subject: Case;
  readonly #around: Surroundings;
  readonly #chance: Chance;
  #lastTold: Seen;
  /** The AccessToken of the last login. */
  #token: string | undefined;
  #sent = 0;
  /** Counts the names that a proxy gives to requests. */
  #proxied = 0;
  /** The next sale of the same content. */
  next: Script | undefined;

  /** Customers whom nothing tells apart share a `subject`. */
  constructor(sale: Sale, around: Surroundings, chance: Chance, subject?: Case) {
    this.sale = sale;
    this.#around = around;
    this.#chance = chance;
    const { book } = around.stage;
    const owner = around.ownerOf(sale.key.apiKey);
    const { walletId } = sale.key;
    this.subject =
      subject ??
      (sale.requestId === undefined
        ? book.withoutId(owner, walletId, servedBy(sale.content), sale.name)
        : book.withId(owner, walletId, shortenRequestId(String(sale.requestId)), sale.name));
    this.subject.takesPending = sale.takesPending;
    this.subject.mayBeBoughtLater = sale.takesPending === 'keeps' || sale.takesPending === 'sells';
  }

  async play(): Promise<void> {
    const { sale } = this;
    const { timeline } = this.#around.stage;
    await timeline.pause(sale.startMs);
    if (sale.soldBefore !== undefined) this.#sellBefore(sale.soldBefore);
    const twins = sale.twinsAfterMs.map((afterMs) => timeline.pause(afterMs).then(() => this.#buy(sale.content)));
    let seen = await this.#buy(sale.content);
    await Promise.all(twins);
    if (sale.isStubborn && seen?.word === 'failure') {
      await timeline.pause(2_000);
      seen = await this.#buy(sale.content);
    }
    for (const afterMs of sale.sendsAgainAfterMs) {
      const isRepeated = sale.firstId !== undefined && REPEATED.includes(seen?.http ?? 0);
      if (seen !== undefined && !isRepeated && !(sale.takesPending === 'refunds' && seen.word === 'pending')) break;
      await timeline.pause(afterMs);
      seen = await this.#buy(sale.content);
    }
    const isSold = seen?.word === 'success' || (sale.takesPending === 'sells' && seen?.word === 'pending');
    if (isSold && sale.sellsNextAfterMs !== undefined) await this.#sellNext(sale.sellsNextAfterMs);
    for (const move of sale.moves) await this.#make(move);
  }

  async #sellNext(afterMs: number): Promise<void> {
    await this.#around.stage.timeline.pause(afterMs);
    this.#around.stage.faults.count('next sale of the same');
    const content = { ...this.sale.content, meanings: new Set<number>() };
    const { name, header, firstId } = this.sale;
    const sale: Sale = {
      ...this.sale,
      name: `${name}, the next`,
      header: header && { ...header, id: `${header.id}-next` },
      firstId: firstId && `${firstId}-next`,
      startMs: 0,
      content,
      sellsNextAfterMs: undefined,
    };
    this.next = new Script(sale, this.#around, this.#chance.fork('next'));
    // Under another Idempotency-Key it is no repeat, unless the mappings have changed since.
    const isAnother = header?.name === 'idempotency-key' && this.#around.stage.faults.reloads.length === 0;
    if (!isAnother) this.next.subject.previous = this.subject;
    await this.next.play();
  }

  /** A status query by request id, or undefined while the script has no id to ask by. */
  async ask(by: 'request id' | 'number' | 'reference' = 'request id'): Promise<Seen> {
    const { sale, subject } = this;
    const told = this.#lastTold?.body;
    const known = by === 'number' ? told?.['id'] : by === 'reference' ? told?.['reference'] : undefined;
    const id = (known as string | number | undefined | null) ?? sale.requestId ?? subject.requestId;
    if (id === undefined) return undefined;
    const { method, path, query = {} } = drawQuestion(sale, sale.content, id, this.#chance);
    return this.#request(this.#requestTo(method, path, {}, query), undefined);
  }

  async #make(move: Move): Promise<void> {
    await this.#around.stage.timeline.pause(move.afterMs);
    if (move.kind === 'repeat') await this.#buy(this.sale.content);
    else if (move.kind === 'conflict') await this.#buy(move.content);
    // Without an id of its own a script knows none before a reply.
    else if (this.sale.requestId !== undefined || this.#lastTold !== undefined) await this.ask(move.by);
  }

  #sellBefore(content: Content): void {
    const { sale, subject } = this;
    const { path, fields } = buildV1Call(content);
    this.#around.sellDirectly(sale.key, path, { ...fields, request_id: subject.requestId! });
    content.meanings.add(content.value);
    subject.soldBefore = content;
    subject.isDoubtful = true;
    note(this.#around.stage, sale.name, `v1 is asked directly: ${content.key}`);
  }

  async #buy(content: Content): Promise<Seen> {
    const { sale, subject } = this;
    if (sale.keyStyle === 'login' && !(await this.#logIn())) return undefined;
    for (const meaning of subject.contents.get(content.key)?.meanings ?? []) content.meanings.add(meaning);
    subject.contents.set(content.key, content);
    this.#sent += 1;
    const { path, fields } = buildScriptRequest(
      sale,
      content,
      sale.isRespelt ? this.#chance.fork(`spelling ${this.#sent}`) : undefined,
    );
    const sentId = sale.requestId ?? (this.#sent === 1 ? sale.firstId : undefined);
    const id = sentId === undefined ? {} : { [sale.spelling]: sentId };
    return this.#request(this.#requestTo('POST', path, { ...fields, ...id }), content);
  }

  /** Exchanges the key for an AccessToken. A script without one does not sell. */
  async #logIn(): Promise<boolean> {
    const { stage, reach } = this.#around;
    const heard = await reach(this.#chance.next())?.handle(
      this.#requestTo('POST', '/api/user/', {}, {}, loginHeaders(this.sale.key.text)),
    );
    const token = heard?.kind === 'reply' ? (heard.served.reply.body as JsonObject)['AccessToken'] : undefined;
    if (typeof token === 'string') this.#token = token;
    note(stage, this.sale.name, `script logs in: ${typeof token === 'string' ? 'has a token' : 'in vain'}`);
    return typeof token === 'string';
  }

  /** Sends one request and waits for the patience of this script. */
  async #request(request: LegacyRequest, content: Content | undefined): Promise<Seen> {
    const { stage, reach } = this.#around;
    const { timeline } = stage;
    const process = reach(this.#chance.next());
    if (process === undefined) return undefined;
    const startedAt = timeline.now;
    const by = { script: this.sale.name, process: process.name, startedAt };
    const purchase: Purchase | undefined = content === undefined ? undefined : { content, ...by };
    if (purchase !== undefined) this.subject.purchases.push(purchase);
    note(stage, this.sale.name, `script → ${process.name}: ${request.method} ${request.path} ${content?.key ?? ''}`);
    const hangUp = new AbortController();
    // The mappings that the gateway then uses decide; a process that stands still reads the request later.
    const onBegin = (): void => {
      if (content === undefined || purchase === undefined) return;
      content.meanings.add(process.meaningOf(content));
      purchase.begunAt = timeline.now;
    };
    const answer = process.handle(request, hangUp.signal, onBegin).then((heard) => {
      if (purchase !== undefined) purchase.endedAt = timeline.now;
      return heard;
    });
    const heard = await Promise.race([answer, timeline.pause(this.sale.patienceMs).then(() => undefined)]);
    if (heard === undefined) hangUp.abort();
    // Some proxies send a request again whose connection broke, under the same name.
    if (heard?.kind === 'cut' && this.#chance.fork(`proxy ${this.#proxied}`).is(0.5)) this.#proxied -= 1;
    if (heard === undefined || heard.kind === 'cut') {
      note(stage, this.sale.name, heard === undefined ? 'script hangs up' : 'script: connection lost');
      return undefined;
    }
    return this.#take(heard, startedAt, process.name, content);
  }

  #take(heard: Exclude<Heard, { kind: 'cut' }>, startedAt: number, process: string, content: Content | undefined): Seen {
    const { stage, verdict } = this.#around;
    const { http, body, code } = readHeard(heard);
    const word = wordOf(http, body);
    note(
      stage,
      this.sale.name,
      `script ← ${process}: ${http} ${word ?? 'CONTRADICTION'} ${code ?? ''} ${JSON.stringify(body['message'])}`,
    );
    if (word === undefined) {
      stage.book.violate('the words agree', this.sale.name, JSON.stringify(body));
      return undefined;
    }
    const how = content === undefined ? 'status' : 'purchase';
    const [script, at] = [this.sale.name, stage.timeline.now];
    const reply: ScriptReply = { script, startedAt, at, process, how, content, word, http, code, body };
    this.subject.replies.push(reply);
    verdict.hear(this.subject, reply);
    stage.faults.count(`told ${word}`);
    this.#lastTold = { word, http, body };
    return this.#lastTold;
  }

  #requestTo(
    method: string,
    path: string,
    fields: Readonly<Record<string, SentValue>>,
    query: Readonly<Record<string, string>> = {},
    key: LegacyHeaders = keyHeaders(this.sale.keyStyle, this.#token ?? this.sale.key.text),
  ): LegacyRequest {
    const { header, isNamedByProxy, name } = this.sale;
    return {
      method,
      path,
      query: new Map(Object.entries(query)),
      body: new Map(Object.entries(fields)),
      headers: {
        ...key,
        userAgent: this.sale.userAgent,
        sent: {
          ...(header && { [header.name]: header.id }),
          ...(isNamedByProxy && { 'x-request-id': `${name}, request ${(this.#proxied += 1)}` }),
        },
      },
      clientAddress: '127.0.0.1',
    };
  }
}

/** On a bug of the gateway the script gets a failure, as the outermost error handler words it. */
function readHeard(heard: Exclude<Heard, { kind: 'cut' }>): { http: number; body: JsonObject; code: string | undefined } {
  if (heard.kind === 'reply') {
    const { reply, refusal } = heard.served;
    return { http: reply.status, body: reply.body as JsonObject, code: refusal?.code };
  }
  const message = heard.error instanceof Error ? heard.error.message : String(heard.error);
  return { http: 500, body: { status: 'fail', Status: 'failed', error: [message], message }, code: 'internal' };
}
