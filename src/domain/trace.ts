/** The `traceparent` header of W3C Trace Context, by which several programs recognise the same request. */
import { randomBytes } from 'node:crypto';

export interface Trace {
  /** 32 hex digits, the same in all programs. */
  readonly traceId: string;
  /** The span id of the program that calls: 16 hex digits. */
  readonly parentId: string;
  /** Whether the calling program records the trace. */
  readonly isSampled: boolean;
  /** The span id that the gateway sends to v1 for this request, if it is chosen already. */
  readonly childId?: string;
}

// Later versions may add parts after a dash. Version ff and ids of zeros are not allowed (W3C Trace Context, section 3.2).
const SHAPE = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LENGTH_MAX = 512;
const SAMPLED = 1;

/** Undefined for an absent or unreadable header. */
export function readTraceParent(header: string | readonly string[] | undefined): Trace | undefined {
  if (typeof header !== 'string' || header.length > LENGTH_MAX) return undefined;
  const [, version, traceId, parentId, flags, more] = SHAPE.exec(header.trim()) ?? [];
  if (traceId === undefined || parentId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, parentId, isSampled: (parseInt(flags!, 16) & SAMPLED) === SAMPLED };
}

/** 16 hex digits, not all of them zeros. */
export function newSpanId(): string {
  const id = randomBytes(8).toString('hex');
  return /^0+$/.test(id) ? newSpanId() : id;
}

export function writeTraceParent({ traceId, parentId, isSampled }: Trace): string {
  return `00-${traceId}-${parentId}-${isSampled ? '01' : '00'}`;
}
