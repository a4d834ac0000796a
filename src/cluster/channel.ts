/**
 * Messages between the primary and a worker: notices, and questions with their answers. They arrive in the order in which they were sent.
 * No PIN of a script is sent: keyed hashes replace PINs, and fingerprints replace keys, with two exceptions. The key that an operator types to
 * recheck an order (`Recheck`) goes from the primary to the worker that asks v1; neither keeps it. The key of a shop that has sold goes to the
 * other workers (`KeylessNews`), which use it for the shop's lookups as the first worker does. A worker gets the settings with their secrets.
 */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Config } from '../config';
import { Secret } from '../domain/credentials';
import type { ErrorCode } from '../domain/errors';
import { errorText } from '../domain/shown-words';
import type { KeyVerdict } from '../gateway/key-guard';
import type { PinVerdict } from '../gateway/order/pin-guard';
import type { KeptRepeat } from '../gateway/order/kept-repeats';
import type { MappingFileText } from '../mapping/load';
import type { Unnumbered } from '../watch/recordings';

/** An order about which an operator wants v1 asked again. */
export interface Recheck {
  readonly key: string;
  readonly requestId: string;
  readonly address: string;
}

export type Channel = ReturnType<typeof openChannel>;

/** The handler for each kind of message; its result is the answer to a question. */
export type MessageHandlers = Readonly<Record<string, (value: never) => unknown>>;

/** The object that sends messages to the other process and receives its own: `process` in a worker, the child in the primary. */
export interface Peer {
  send?(message: unknown, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

interface Message {
  readonly line: 'tell' | 'ask' | 'answer' | 'failure';
  readonly id: number;
  readonly kind: string;
  readonly value: unknown;
}

export function openChannel(peer: Peer, handlers: MessageHandlers) {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let isGone = false;
  const send = (message: Message): void => {
    // Errors of sending are ignored: when the other process ends, `disconnect` rejects all open questions.
    if (!isGone) peer.send?.(message, () => undefined);
  };
  const answer = async ({ id, kind, value }: Message): Promise<void> => {
    try {
      send({ line: 'answer', id, kind, value: await handlers[kind]?.(value as never) });
    } catch (error) {
      send({ line: 'failure', id, kind, value: errorText(error) });
    }
  };
  peer.on('message', (given) => {
    const message = given as Message;
    if (message.line === 'tell') void handlers[message.kind]?.(message.value as never);
    else if (message.line === 'ask') void answer(message);
    else if (message.line === 'answer') waiting.get(message.id)?.resolve(message.value);
    else if (message.line === 'failure') waiting.get(message.id)?.reject(new Error(String(message.value)));
  });
  peer.on('disconnect', () => {
    isGone = true;
    for (const { reject } of waiting.values()) reject(new Error('The other process is gone.'));
  });
  return {
    tell: (kind: string, value?: unknown) => send({ line: 'tell', id: 0, kind, value }),
    /** Sends a question and resolves with its answer. Rejects when the other process fails to answer or is gone. */
    ask(kind: string, value?: unknown): Promise<unknown> {
      if (isGone) return Promise.reject(new Error('The other process is gone.'));
      const id = (lastId += 1);
      const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      send({ line: 'ask', id, kind, value });
      return answered.finally(() => waiting.delete(id));
    },
  };
}

/** The answer to a worker's `join`. */
export interface JoinReply {
  readonly worker: number;
  readonly workers: number;
  readonly upstreamUrl: string;
  readonly settings: SentSettings;
  readonly files: readonly MappingFileText[];
}

type SentSettings = readonly (readonly [key: string, value: unknown, isSecret: boolean])[];

/**
 * The settings as they can be sent: a `Secret` would arrive empty. A worker that read them itself could read others by now than its neighbours, and
 * sell from another journal.
 */
export function settingsToSend(config: Config): SentSettings {
  return Object.entries(config).map(([key, value]: [string, unknown]) =>
    value instanceof Secret ? [key, value.revealForUseOnly(), true] : [key, value, false],
  );
}

export function settingsSent(sent: SentSettings): Config {
  return Object.fromEntries(
    sent.map(([key, value, isSecret]) => [key, isSecret ? new Secret(value as string) : value]),
  ) as unknown as Config;
}

export interface PinTurnAsked {
  readonly fingerprint: string;
  readonly pin: string;
  readonly timeoutMs: number;
}

/** With `refusal`, in v1's own words, the purchase is not sent. */
export type PinTurn = { readonly turn: number } | { readonly refusal: string };

export interface PinTurnDone {
  readonly turn: number;
  readonly verdict: PinVerdict | undefined;
}

export interface KeyVisit {
  readonly fingerprint: string;
  readonly address: string;
}

export interface KeyRefusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds: number | undefined;
}

export type KeyJudged = KeyVisit & { readonly verdict: KeyVerdict };

export interface RepeatTurn {
  readonly turn: number;
  readonly kept: readonly KeptRepeat[];
}

export interface RepeatKept {
  readonly content: string;
  readonly kept: KeptRepeat;
  readonly windowMs: number;
}

/** How long a script had waited when it hung up or got its whole reply. */
export interface Waited {
  readonly fingerprint: string;
  readonly kind: string;
  readonly ageMs: number;
}

export interface RecordAsked {
  readonly caller: string;
  readonly untilMs: number | undefined;
}

export interface RecordedInWorker {
  readonly caller: string;
  readonly recorded: Unnumbered;
}

export type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[];
