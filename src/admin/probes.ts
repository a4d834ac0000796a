/** What the probes answer, free of HTTP. */
import type { JsonObject } from '../domain/json';

export interface Readiness {
  /** Hash of the mapping set in use, when there is one. */
  readonly hash?: string | undefined;
  /** What is not up, each by its name (`mappings`, `journal`, `stopping`); empty when the gateway may be given orders. */
  readonly waitingFor: readonly string[];
}

export interface ProbeReply {
  readonly status: 200 | 503;
  readonly body: JsonObject;
}

/** Alive: the process answers at all. Says nothing about v1, whose absence no restart of ours would mend. */
export function healthReply(): ProbeReply {
  return { status: 200, body: { status: 'ok' } };
}

/** Ready: an order sent now would be taken. */
export function readyReply({ hash, waitingFor }: Readiness): ProbeReply {
  const mapping = { hash: hash ?? null };
  if (waitingFor.length === 0) return { status: 200, body: { status: 'ready', mapping } };
  return { status: 503, body: { status: 'not ready', waiting_for: [...waitingFor], mapping } };
}
