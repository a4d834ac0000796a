/** Records the masked requests of one caller for a limited time: `compat-gateway record`. */
import express, { type Router } from 'express';
import * as z from 'zod';
import type { Recordings } from '../domain/recorded-request';
import { errorText } from '../domain/shown-words';
import { findCaller, sandboxScopeOf } from '../mapping/caller-name';
import type { Mapping } from '../mapping/mapping';
import { refuse } from './admin-guard';

const RECORD_MS_MAX = 24 * 3_600_000;
const RECORDED_MAX = 10_000;

const startSchema = z.strictObject({
  caller: z.string().min(1),
  for_ms: z.int().min(1_000).max(RECORD_MS_MAX),
  max: z.int().min(1).max(RECORDED_MAX),
});
const callerSchema = z.strictObject({ caller: z.string().min(1) });

export function createRecordRouter(recordings: Recordings, mapping: () => Mapping): Router {
  const router = express.Router();
  router.use(express.json());
  router.post('/', (request, response) => {
    const read = startSchema.safeParse(request.body);
    if (!read.success) return refuse(response, 400, 'The body is { "caller": "…", "for_ms": 60000, "max": 500 }.');
    const { caller, for_ms: forMs, max } = read.data;
    let fingerprint: string;
    try {
      fingerprint = recordedAs(findCaller(caller, mapping()), mapping());
    } catch (error) {
      return refuse(response, 404, errorText(error));
    }
    const untilMs = recordings.start(fingerprint, forMs, max);
    if (untilMs === undefined) return refuse(response, 409, 'Too many recordings are running; stop one first.');
    response.json({ status: 'recording', fingerprint, until_ms: untilMs });
  });
  router.get('/:fingerprint', (request, response) => {
    const after = Number(request.query['after'] ?? 0);
    const recording = recordings.read(String(request.params['fingerprint']), Number.isSafeInteger(after) ? after : 0);
    if (recording === undefined) return refuse(response, 404, 'There is no recording of this caller.');
    response.set('cache-control', 'no-store').json({ status: 'success', ...recording });
  });
  router.post('/stop', (request, response) => {
    const read = callerSchema.safeParse(request.body);
    if (!read.success) return refuse(response, 400, 'The body is { "caller": "<fingerprint>" }.');
    recordings.stop(read.data.caller);
    response.json({ status: 'stopped' });
  });
  return router;
}

/** The requests of a key in the sandbox have its fingerprint there. */
function recordedAs(fingerprint: string, { callerKeys }: Mapping): string {
  const key = callerKeys.get(fingerprint);
  return key?.isSandboxed === true && key.sandboxOf === undefined ? sandboxScopeOf(fingerprint) : fingerprint;
}
