/** Asks v1 again about one order with its owner's key: `compat-gateway orders recheck`. The key comes in the body and is not stored. */
import express, { type Router } from 'express';
import * as z from 'zod';
import { Secret } from '../domain/credentials';
import { errorText } from '../domain/shown-words';
import { SENT_LENGTH_MAX } from '../gateway/read/read-raw';
import type { Rechecked } from '../gateway/recheck';
import { refuse } from './admin-guard';

const schema = z.strictObject({
  id: z.string().min(1).max(SENT_LENGTH_MAX),
  key: z.string().min(1).max(300),
  address: z.union([z.ipv4(), z.ipv6()]).optional(),
});

export interface Rechecking {
  readonly id: string;
  /** Typed by a person, and kept only until v1 has answered. */
  readonly key: Secret;
  /** The client address that v1 gets with the call, because a key may be locked to the addresses of its scripts. */
  readonly address?: string | undefined;
}

export function createOrdersRouter(recheck: (asked: Rechecking) => Promise<Rechecked>): Router {
  const router = express.Router();
  router.post('/recheck', express.json({ limit: '4kb' }), async (request, response) => {
    response.set('cache-control', 'no-store');
    const read = schema.safeParse(request.body);
    if (!read.success)
      return refuse(response, 400, 'The body is { "id": "…", "key": "…" }, with "address" if the key is locked to one.');
    const { id, key, address } = read.data;
    try {
      response.json({ status: 'success', ...(await recheck({ id, key: new Secret(key), address })) });
    } catch (error) {
      refuse(response, 409, errorText(error));
    }
  });
  return router;
}
