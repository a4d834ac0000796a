/** What the primary and its workers say to each other. No key and no PIN travels: fingerprints and keyed hashes stand for them. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { ErrorCode } from '../domain/errors';
import type { KeyVerdict } from '../gateway/key-guard';
import type { PinVerdict } from '../gateway/order/pin-guard';
import type { KeptRepeat } from '../gateway/order/repeats';
import type { MappingFileText } from '../mapping/load';

/** What a worker is told when it asks to `join`. */
export interface Briefing {
  readonly worker: number;
  readonly workers: number;
  readonly upstreamUrl: string;
  readonly files: readonly MappingFileText[];
}

export interface PinTurnAsked {
  readonly fingerprint: string;
  readonly pin: string;
  readonly timeoutMs: number;
}

/** `refusal`: as v1 would tell it, and nothing is sent. */
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

export interface HungUp {
  readonly fingerprint: string;
  readonly kind: string;
  readonly ageMs: number;
}

export type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[];
