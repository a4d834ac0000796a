/** One made request through one mapping → everything about it that a script or v1 would notice, as texts. */
import { Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import { textOf } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import type { Mapping, OperationKind, ReplyOutcome } from '../../mapping/mapping';
import { explainReplies } from '../explain/explain';
import type { Authenticated } from '../../gateway/read/authenticate';
import { walkIn, type Known, type Walk } from '../../gateway/read/walk-in';
import { SAMPLE_CATALOG } from './sample-catalog';

/** Who asks: pins of keys count, and the mark of a login's token. */
export interface Caller {
  readonly fingerprint: string;
  readonly tokenFormat: string | undefined;
}

export interface Noticed {
  readonly operation: string | undefined;
  readonly kind: OperationKind | undefined;
  readonly format: string | undefined;
  /** The code of a refusal. */
  readonly refusal: string | undefined;
  /** `POST /airtime`; undefined when v1 is not asked. */
  readonly endpoint: string | undefined;
  readonly call: ReadonlyMap<string, string>;
  readonly replies: ReadonlyMap<ReplyOutcome, ReadonlyMap<string, string>>;
}

/** The HTTP status among the fields of a reply. */
export const HTTP_STATUS = 'HTTP status';

export function playRequest(request: LegacyRequest, mapping: Mapping, { fingerprint, tokenFormat }: Caller): Noticed {
  const credentials = { apiKey: new Secret('replayed'), fingerprint, ...(tokenFormat === undefined ? {} : { tokenFormat }) };
  const isBasic = request.headers.authorization?.startsWith('Basic') === true;
  const walk = walkWithSamples(request, mapping, { credentials, isBasic });
  if (walk.kind === 'stopped' && !(walk.error instanceof GatewayError)) throw walk.error;
  const refusal = walk.kind === 'stopped' ? (walk.error as GatewayError).code : undefined;
  const known: Known = walk.known;
  const { operation, detection, call } = known;
  const replies = refusal === undefined ? explainReplies(known, mapping, SAMPLE_CATALOG) : [];
  return {
    operation: operation?.name,
    kind: operation?.kind,
    format: detection?.format,
    refusal,
    endpoint: call === undefined || refusal !== undefined ? undefined : `${call.method} ${call.path}`,
    call: new Map(
      Object.entries(refusal === undefined ? { ...call?.query, ...call?.body } : {}).map(([key, value]) => [key, textOf(value)]),
    ),
    replies: new Map(
      replies.map(({ outcome, http, fields }) => [
        outcome,
        new Map([[HTTP_STATUS, String(http)], ...fields.map(({ field, value }) => [field, textOf(value)] as const)]),
      ]),
    ),
  };
}

function walkWithSamples(request: LegacyRequest, mapping: Mapping, who: Authenticated): Walk {
  const routed = walkIn(request, mapping);
  const walk = routed.kind === 'needs_caller' ? routed.withCaller(who) : routed;
  return walk.kind === 'needs_catalog' ? walk.withCatalog(SAMPLE_CATALOG) : walk;
}
