/** The mapping in use, and its reload, for the operator's tools. */
import express, { type Router } from 'express';
import { z } from 'zod';
import type { LiveMapping, Reloaded } from '../mapping/live';

const reloadSchema = z.strictObject({ expected_hash: z.string().optional() });

const STATUS: Readonly<Record<Reloaded['kind'], number>> = { reloaded: 200, unchanged: 200, refused: 422, edited_meanwhile: 409 };

export function createMappingRouter(live: LiveMapping): Router {
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
  router.post('/reload', express.json(), (request, response) => {
    const read = reloadSchema.safeParse(request.body ?? {});
    if (!read.success) {
      response.status(400).json({ status: 'error', message: 'The body is { "expected_hash": "…" } or nothing.' });
      return;
    }
    const reloaded = live.reload(read.data.expected_hash);
    response.status(STATUS[reloaded.kind]).json({ status: reloaded.kind, ...reloaded });
  });
  return router;
}
