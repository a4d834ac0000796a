import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { kobo } from '../domain/amount';
import { Refusal } from './answer';
import { nairaSchema } from './catalog';
import type { Store } from './store/store';

const MODES = ['live', 'sandbox'] as const;
/** Section 5: the key decides the mode. Both modes are simulated here; only what a vendor sees differs. */
export type Mode = (typeof MODES)[number];

const liveKey = z.string().regex(/^\w*_live_\w+$/, 'a live key looks like name_live_…');
const sandboxKey = z.string().regex(/^sandbox_\w+$/, 'a sandbox key looks like sandbox_…');
const keysSchema = z.strictObject({ live: liveKey.optional(), sandbox: sandboxKey.optional() });
const addressSchema = z.string().transform((text, context) => {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  context.addIssue({ code: 'custom', message: 'an IP address is expected' });
  return '';
});
const pinSchema = z.string().regex(/^\d{4,6}$/, 'a PIN is 4 to 6 digits in quotes');
const webhookUrlSchema = z.url({ protocol: /^https?$/ });
const wallet = nairaSchema.default(kobo(100_000_000));

export const accountSchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/, 'small letters, digits and dashes'),
  name: z.string().min(1),
  keys: keysSchema,
  pin: pinSchema,
  tier: z.string().default('standard'),
  vendor: z.boolean().default(true),
  suspended: z.boolean().default(false),
  api_access: z.boolean().default(true),
  allowed_ips: z.array(addressSchema).default([]),
  webhook_url: webhookUrlSchema.optional(),
  /** The start balance of each wallet in naira (section 8: 1,000,000). */
  wallet: z.strictObject({ live: wallet, sandbox: wallet }).prefault({}),
});

/** One vendor: its entry in accounts.yaml, overridden by the changes that were made while the sandbox ran. */
export type Account = z.infer<typeof accountSchema>;

export const accountsFileSchema = z.strictObject({ accounts: z.array(accountSchema).min(1) });

export const accountChangesSchema = z.strictObject({
  keys: keysSchema.exactOptional(),
  pin: pinSchema.exactOptional(),
  tier: z.string().exactOptional(),
  vendor: z.boolean().exactOptional(),
  suspended: z.boolean().exactOptional(),
  api_access: z.boolean().exactOptional(),
  allowed_ips: z.array(addressSchema).exactOptional(),
  webhook_url: webhookUrlSchema.nullable().exactOptional(),
});

/** The changes that an operator may make to an account while the sandbox runs. */
export type AccountChanges = z.infer<typeof accountChangesSchema>;

/** An account in one mode. Each mode has its own wallet, orders and request ids, so live and sandbox money stay separate. */
export interface Caller {
  readonly account: Account;
  readonly mode: Mode;
  /** `<account>:<mode>` */
  readonly walletId: string;
}

/** Both callers of an account, whether or not it has a key for the mode. */
export function callersOf(account: Account): readonly Caller[] {
  return MODES.map((mode) => ({ account, mode, walletId: `${account.id}:${mode}` }));
}

/** All accounts, and the caller of each key. */
export class AccountBook {
  readonly #accounts = new Map<string, Account>();
  readonly #changes: Map<string, AccountChanges>;
  readonly #callers = new Map<string, Caller>();
  readonly #store: Store;

  constructor(accounts: readonly Account[], store: Store) {
    this.#store = store;
    // Changes of an account that is no longer in accounts.yaml are not applied: it keeps its orders and loses its keys.
    this.#changes = new Map(store.entries<AccountChanges>('account'));
    for (const account of accounts) this.#accounts.set(account.id, applyChanges(account, this.#changes.get(account.id) ?? {}));
    this.#indexKeys();
  }

  /** Section 5, point 1: the caller that has this bearer key; undefined if no account has it (any more). */
  findByKey(key: string): Caller | undefined {
    return this.#callers.get(key);
  }

  all(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  find(accountId: string): Account | undefined {
    return this.#accounts.get(accountId);
  }

  /**
   * Takes effect with the next request: a replaced key is refused at once (section 5, point 6), a key that is not named stays.
   * Throws for an unknown account, a key of another, or a webhook address to which none of its orders can be reported.
   */
  change(accountId: string, { keys, ...rest }: AccountChanges): void {
    const account = this.#accounts.get(accountId);
    if (account === undefined) throw new Error(`there is no account ${accountId}`);
    for (const key of Object.values(keys ?? {})) {
      const owner = key === undefined ? undefined : this.#callers.get(key);
      if (owner !== undefined && owner.account.id !== accountId) throw new Error('another account has this key');
    }
    const changes = keys === undefined ? rest : { ...rest, keys: { ...account.keys, ...keys } };
    const changed = applyChanges(account, changes);
    const fault = rest.webhook_url === undefined ? undefined : checkWebhook(changed);
    if (fault !== undefined) throw new Error(fault);
    const all = { ...this.#changes.get(accountId), ...changes };
    this.#changes.set(accountId, all);
    this.#store.put('account', accountId, all);
    this.#accounts.set(accountId, changed);
    this.#indexKeys();
  }

  #indexKeys(): void {
    this.#callers.clear();
    for (const caller of [...this.#accounts.values()].flatMap(callersOf)) {
      const key = caller.account.keys[caller.mode];
      if (key !== undefined) this.#callers.set(key, caller);
    }
  }
}

function applyChanges(account: Account, changes: AccountChanges): Account {
  const { webhook_url, ...rest } = { ...account, ...changes };
  return typeof webhook_url === 'string' ? { ...rest, webhook_url } : rest;
}

/**
 * Section 5: finds the account of the key and checks that it may use the API from this address. `address` is undefined if
 * unknown. Throws a Refusal.
 */
export function authenticate(accounts: AccountBook, authorization: string | undefined, address: string | undefined): Caller {
  const key = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (key === undefined) throw new Refusal('missing_key');
  const caller = accounts.findByKey(key);
  if (caller === undefined) throw new Refusal('wrong_key');
  const { account } = caller;
  if (account.suspended) throw new Refusal('account_suspended');
  if (!account.vendor) throw new Refusal('vendor_required');
  if (!account.api_access) throw new Refusal('api_access_disabled');
  if (account.allowed_ips.length > 0 && (address === undefined || !account.allowed_ips.includes(address))) {
    throw new Refusal('address_not_allowed');
  }
  return caller;
}

/** An IP address in its one normal spelling; undefined for other text. An IPv4 address mapped into IPv6 becomes the IPv4 address. */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim();
  // ipaddr.js also accepts spellings such as 1 and 0x7f.1; an allowlist must not.
  if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) return undefined;
  return ipaddr.process(trimmed).toString();
}

/** Why an account must not have its webhook address: none of its orders could be reported there. Undefined if it may, or has none. */
export function checkWebhook({ webhook_url: url, keys }: Pick<Account, 'webhook_url' | 'keys'>): string | undefined {
  return url === undefined ? undefined : checkWebhookUrl(url, keys.sandbox === undefined ? 'live' : 'sandbox');
}

/** Why orders of this mode must not be reported to this URL; undefined if they may. Section 6: the URL is HTTPS. */
export function checkWebhookUrl(url: string, mode: Mode): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return undefined;
  if (!/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return 'a webhook address must be https';
  // A developer's receiver runs on the same machine without a certificate. Live orders are reported over https only.
  return mode === 'sandbox' ? undefined : 'the webhook address of live orders must be https';
}
