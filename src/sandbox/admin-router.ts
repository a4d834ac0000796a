import express, { type Request, type Response, type Router } from 'express';
import * as z from 'zod';
import { accountChangesSchema } from './account';
import type { Sandbox } from './sandbox';

const text = z.string();
const anything = z.unknown();
const keySchema = z.strictObject({ api_key: text });
const clockSchema = z.strictObject({ advance_ms: z.int().min(0) });
const moodSchema = z.strictObject({ api_key: text, mood: text, calls: z.int().min(0).default(1) });
const settleSchema = z.strictObject({ result: z.enum(['success', 'failed']) });
const fundSchema = z.strictObject({ api_key: text, naira: z.number() });
const serviceSchema = z.strictObject({ is_on: z.boolean() });

/** `id` is the `:id` of the path: a reference, a service, an account or a delivery. */
type Act<T> = (body: T, path: { readonly id: string }) => object | void;

const timeOf = (ms: number) => ({ now: new Date(ms).toISOString() });

/** The admin calls over HTTP. They do not check who calls: mount them behind the guard of the admin server. */
export function createSandboxAdminRouter({ admin }: Sandbox): Router {
  const router = express.Router();
  router.use(express.json());
  /** Adds one call. It answers 200 with the result of `act` beside the status, or 400 with the message of the error. */
  const serve = <T>(method: 'get' | 'post' | 'patch', path: string, schema: z.ZodType<T>, act: Act<T>): void =>
    void router[method](path, ({ body, params }: Request<{ id: string }>, response: Response) => {
      try {
        response.json({ status: 'success', ...act(schema.parse(body ?? {}), params) });
      } catch (error) {
        const fault = error instanceof Error ? error.message : String(error);
        const message = error instanceof z.ZodError ? z.prettifyError(error) : fault;
        response.status(400).json({ status: 'error', message });
      }
    });
  serve('get', '/clock', anything, () => timeOf(admin.now()));
  serve('post', '/clock', clockSchema, ({ advance_ms: ms }) => timeOf(admin.advanceClock(ms)));
  serve('get', '/ledger', anything, () => admin.checkLedger());
  serve('get', '/moods', anything, () => ({ moods: admin.listMoods() }));
  serve('post', '/moods', moodSchema, ({ api_key: key, mood, calls }) => admin.setMood(key, mood, calls));
  serve('post', '/orders/:id/settle', settleSchema, ({ result }, { id }) => admin.settleOrder(id, result));
  serve('post', '/wallets/reset', keySchema, ({ api_key: key }) => ({ wallet_balance: admin.resetWallet(key) }));
  serve('post', '/wallets/fund', fundSchema, ({ api_key: key, naira }) => ({ wallet_balance: admin.fundWallet(key, naira) }));
  serve('post', '/services/:id', serviceSchema, ({ is_on: isOn }, { id }) => admin.switchService(id, isOn));
  serve('patch', '/accounts/:id', accountChangesSchema, (changes, { id }) => admin.changeAccount(id, changes));
  serve('post', '/accounts/:id/unlock', anything, (_body, { id }) => admin.unlockPin(id));
  serve('post', '/keys/regenerate', keySchema, ({ api_key: key }) => ({ api_key: admin.regenerateKey(key) }));
  serve('get', '/deliveries', anything, () => ({ deliveries: admin.listDeliveries() }));
  serve('post', '/deliveries/:id/redeliver', anything, (_body, { id }) => admin.redeliver(Number(id)));
  return router;
}
