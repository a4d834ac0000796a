/** The mapping in use, and its reload, for the operator's tools. */
import express, { type Router } from 'express';
import { z } from 'zod';
import { isMappingFileName } from '../mapping/folder-change';
import type { LiveMapping, Reloaded } from '../mapping/live';

const reloadSchema = z.strictObject({ expected_hash: z.string().optional(), running_hash: z.string().optional() });
const applySchema = z.strictObject({
  files: z
    .array(z.strictObject({ name: z.string().refine(isMappingFileName), text: z.string() }))
    .min(1)
    .refine(hasDistinctNames),
  expected_hash: z.string(),
  running_hash: z.string(),
});
/** A mapping set is written by hand: the shipped one is 40 kB. */
const SET_MAX = '8mb';

const STATUS: Readonly<Record<Reloaded['kind'], number>> = {
  reloaded: 200,
  unchanged: 200,
  refused: 422,
  edited_meanwhile: 409,
  running_changed: 409,
  unwritable: 500,
};

/** `everywhere` resolves when every process that serves uses the set in use here: only then is a change answered. */
export function createMappingRouter(live: LiveMapping, everywhere: () => Promise<void> = () => Promise.resolve()): Router {
  const router = express.Router();
  router.get('/', (_request, response) => {
    const { hash, formats, operations, routes } = live.current();
    response.json({
      hash,
      formats: [...formats.values()].map(({ id, title }) => ({ id, title })),
      operations: [...operations.keys()],
      routes: routes.length,
      problems: live.problems(),
    });
  });
  router.get('/files', (_request, response) => {
    response.json({ hash: live.current().hash, files: live.files() });
  });
  router.post('/reload', express.json(), async (request, response) => {
    const read = reloadSchema.safeParse(request.body ?? {});
    if (!read.success) {
      response
        .status(400)
        .json({ status: 'error', message: 'The body is { "expected_hash": "…", "running_hash": "…" } or nothing.' });
      return;
    }
    const reloaded = live.reload(read.data.expected_hash, read.data.running_hash);
    await everywhere();
    response.status(STATUS[reloaded.kind]).json({ status: reloaded.kind, ...reloaded });
  });
  router.post('/apply', express.json({ limit: SET_MAX }), async (request, response) => {
    const read = applySchema.safeParse(request.body);
    if (!read.success) {
      response.status(400).json({
        status: 'error',
        message: 'The body is { "files": [{ "name": "….yaml", "text": "…" }], "expected_hash": "…", "running_hash": "…" }.',
      });
      return;
    }
    const { files, expected_hash: expected, running_hash: running } = read.data;
    const applied = live.apply(files, expected, running);
    await everywhere();
    response.status(STATUS[applied.kind]).json({ status: applied.kind, ...applied });
  });
  return router;
}

function hasDistinctNames(files: readonly { readonly name: string }[]): boolean {
  return new Set(files.map(({ name }) => name)).size === files.length;
}
