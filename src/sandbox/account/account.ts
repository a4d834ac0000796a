import { z } from 'zod';
import { kobo, parseNaira, type AmountMinor } from '../../domain/amount';
import { parseAddress } from './parse-address';

export const MODES = ['live', 'sandbox'] as const;
/** Section 5: the key decides. Both are simulated here; only what a vendor sees differs. */
export type Mode = (typeof MODES)[number];

/** Naira as YAML writes them, a number or text, kept as kobo. */
export const nairaSchema = z.union([z.number(), z.string()]).transform((value, context): AmountMinor => {
  const amount = parseNaira(value);
  if (amount !== undefined && amount >= 0) return amount;
  context.addIssue({ code: 'custom', message: 'an amount of naira with at most two decimals is expected' });
  return kobo(0);
});

const liveKey = z.string().regex(/^\w*_live_\w+$/, 'a live key looks like name_live_…');
const sandboxKey = z.string().regex(/^sandbox_\w+$/, 'a sandbox key looks like sandbox_…');
export const addressSchema = z.string().transform((text, context) => {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  context.addIssue({ code: 'custom', message: 'an IP address is expected' });
  return '';
});
const wallet = nairaSchema.default(kobo(100_000_000));

export const pinSchema = z.string().regex(/^\d{4,6}$/, 'a PIN is 4 to 6 digits in quotes');
export const webhookUrlSchema = z.url({ protocol: /^https?$/ });

export const accountSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/, 'small letters, digits and dashes'),
  name: z.string().min(1),
  keys: z.strictObject({ live: liveKey.optional(), sandbox: sandboxKey.optional() }),
  pin: pinSchema,
  tier: z.string().default('standard'),
  vendor: z.boolean().default(true),
  suspended: z.boolean().default(false),
  api_access: z.boolean().default(true),
  allowed_ips: z.array(addressSchema).default([]),
  webhook_url: webhookUrlSchema.optional(),
  /** What each wallet starts with, in naira (section 8: 1,000,000). */
  wallet: z.strictObject({ live: wallet, sandbox: wallet }).prefault({}),
});

/** One vendor as the YAML describes it; what changes while running is kept apart and laid over it. */
export type Account = z.infer<typeof accountSchema>;

export const accountsFileSchema = z.strictObject({ accounts: z.array(accountSchema).min(1) });

/** Live and sandbox money never meet: each mode of an account has its own wallet, orders and request ids. */
export interface Caller {
  readonly account: Account;
  readonly mode: Mode;
  /** `<account>:<mode>` */
  readonly walletId: string;
}
