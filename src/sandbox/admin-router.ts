import express, { type Response, type Router } from 'express';
import { z } from 'zod';
import { addressSchema, pinSchema, webhookUrlSchema } from './account/account';
import type { Sandbox } from './sandbox';

const keySchema = z.strictObject({ api_key: z.string() });
const clockSchema = z.strictObject({ advance_ms: z.int().min(0) });
const moodSchema = z.strictObject({ api_key: z.string(), mood: z.string(), calls: z.int().min(0).default(1) });
const settleSchema = z.strictObject({ result: z.enum(['success', 'failed']) });
const fundSchema = z.strictObject({ api_key: z.string(), naira: z.number() });
const serviceSchema = z.strictObject({ is_on: z.boolean() });
const accountChangesSchema = z.strictObject({
  keys: z.strictObject({ live: z.string().exactOptional(), sandbox: z.string().exactOptional() }).exactOptional(),
  pin: pinSchema.exactOptional(),
  tier: z.string().exactOptional(),
  vendor: z.boolean().exactOptional(),
  suspended: z.boolean().exactOptional(),
  api_access: z.boolean().exactOptional(),
  allowed_ips: z.array(addressSchema).exactOptional(),
  webhook_url: webhookUrlSchema.nullable().exactOptional(),
});

/** The admin calls over HTTP, to be mounted behind whatever guards the admin server. */
export function createSandboxAdminRouter({ admin }: Sandbox): Router {
  const router = express.Router();
  router.use(express.json());
  router.get(
    '/clock',
    answer(() => ({ now: new Date(admin.now()).toISOString() })),
  );
  router.post(
    '/clock',
    withBody(clockSchema, ({ advance_ms }) => ({ now: new Date(admin.advanceClock(advance_ms)).toISOString() })),
  );
  router.get(
    '/ledger',
    answer(() => admin.checkLedger()),
  );
  router.get(
    '/moods',
    answer(() => ({ moods: admin.listMoods() })),
  );
  router.post(
    '/moods',
    withBody(moodSchema, ({ api_key, mood, calls }) => admin.setMood(api_key, mood, calls)),
  );
  router.post(
    '/orders/:reference/settle',
    withBody(settleSchema, ({ result }, { reference = '' }) => admin.settleOrder(reference, result)),
  );
  router.post(
    '/wallets/reset',
    withBody(keySchema, ({ api_key }) => ({ wallet_balance: admin.resetWallet(api_key) })),
  );
  router.post(
    '/wallets/fund',
    withBody(fundSchema, ({ api_key, naira }) => ({ wallet_balance: admin.fundWallet(api_key, naira) })),
  );
  router.post(
    '/services/:category',
    withBody(serviceSchema, ({ is_on }, { category = '' }) => admin.switchService(category, is_on)),
  );
  router.patch(
    '/accounts/:id',
    withBody(accountChangesSchema, (changes, { id = '' }) => admin.changeAccount(id, changes)),
  );
  router.post(
    '/accounts/:id/unlock',
    answer((_body, { id = '' }) => admin.unlockPin(id)),
  );
  router.post(
    '/keys/regenerate',
    withBody(keySchema, ({ api_key }) => ({ api_key: admin.regenerateKey(api_key) })),
  );
  router.get(
    '/deliveries',
    answer(() => ({ deliveries: admin.listDeliveries() })),
  );
  router.post(
    '/deliveries/:id/redeliver',
    answer((_body, { id = '' }) => admin.redeliver(Number(id))),
  );
  return router;
}

type Params = Readonly<Record<string, string | undefined>>;
type Act = (body: unknown, params: Params) => object | void;

/** 200 with what the act gives, or 400 with what it says is wrong. */
function answer(act: Act) {
  return ({ body, params }: { body: unknown; params: unknown }, response: Response): void => {
    try {
      response.json({ status: 'success', ...act(body, params as Params) });
    } catch (error) {
      const message =
        error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : String(error);
      response.status(400).json({ status: 'error', message });
    }
  };
}

function withBody<T>(schema: z.ZodType<T>, act: (body: T, params: Params) => object | void) {
  return answer((body, params) => act(schema.parse(body ?? {}), params));
}
