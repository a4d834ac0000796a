/** Admin calls that show, reload and replace the mapping in use. */
import express, { type Router } from 'express';
import * as z from 'zod';
import { isMappingFileName } from '../mapping/folder-change';
import type { LiveMapping, Reloaded } from '../mapping/live';
import { refuse } from './admin-guard';

/** Who asks for the change, as that client names itself. It is written into the history. */
const who = z
  .string()
  .regex(/^[ -~]{1,64}$/)
  .optional();
const reloadSchema = z.strictObject({
  expected_hash: z.string().optional(),
  running_hash: z.string().optional(),
  who,
});
const applySchema = z.strictObject({
  files: z
    .array(z.strictObject({ name: z.string().refine(isMappingFileName), text: z.string() }))
    .min(1)
    .refine(hasDistinctNames),
  expected_hash: z.string(),
  running_hash: z.string(),
  /** The hash of a folder whose edits the operator has seen and gives up. */
  folder_hash: z.string().optional(),
  /** The cause in the history. */
  by: z.enum(['apply', 'rollback', 'pause']).default('apply'),
  plan: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  who,
});
const APPLY_BODY =
  'The body is { "files": [{ "name": "….yaml", "text": "…" }], "expected_hash": "…", "running_hash": "…" }; it may have "folder_hash", "by", "plan" and "who".';
/** A mapping set is written by hand; the shipped one has about 60 kB. */
const SET_MAX = '8mb';

const STATUS: Readonly<Record<Reloaded['kind'], number>> = {
  reloaded: 200,
  unchanged: 200,
  refused: 422,
  folder_unreadable: 422,
  edited_meanwhile: 409,
  running_changed: 409,
  unwritable: 500,
};

/** `everywhere` resolves once every serving process uses the current set. A change is answered only after that. */
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
  // Under every type: curl sends JSON as a form, and a body that is not read would be a reload without its conditions.
  router.post('/reload', express.json({ type: () => true }), async (request, response) => {
    const read = reloadSchema.safeParse(request.body ?? {});
    if (!read.success)
      return refuse(response, 400, 'The body is { "expected_hash": "…", "running_hash": "…", "who": "…" } or nothing.');
    const { expected_hash: expectedHash, running_hash: runningHash, who } = read.data;
    const reloaded = await live.reload({ expectedHash, runningHash, cause: { by: 'reload', who } });
    await everywhere();
    response.status(STATUS[reloaded.kind]).json({ status: reloaded.kind, ...reloaded });
  });
  router.post('/apply', express.json({ limit: SET_MAX }), async (request, response) => {
    const read = applySchema.safeParse(request.body);
    if (!read.success) return refuse(response, 400, APPLY_BODY);
    const { files, expected_hash, running_hash, folder_hash: folderHash, ...cause } = read.data;
    const applied = await live.apply(files, expected_hash, running_hash, { ...cause, folderHash });
    await everywhere();
    response.status(STATUS[applied.kind]).json({ status: applied.kind, ...applied });
  });
  return router;
}

function hasDistinctNames(files: readonly { readonly name: string }[]): boolean {
  return new Set(files.map(({ name }) => name)).size === files.length;
}
