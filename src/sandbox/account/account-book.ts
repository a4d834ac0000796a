import type { Store } from '../store/store';
import { MODES, type Account, type Caller, type Mode } from './account';

/** What an operator may change about an account while the sandbox runs. */
export interface AccountChanges {
  readonly keys?: Account['keys'];
  readonly pin?: string;
  readonly tier?: string;
  readonly vendor?: boolean;
  readonly suspended?: boolean;
  readonly api_access?: boolean;
  readonly allowed_ips?: string[];
  readonly webhook_url?: string | null;
}

/** All accounts and which key belongs to which. */
export class AccountBook {
  readonly #accounts = new Map<string, Account>();
  readonly #callers = new Map<string, Caller>();
  readonly #store: Store;

  constructor(accounts: readonly Account[], store: Store) {
    this.#store = store;
    for (const account of accounts) this.#accounts.set(account.id, account);
    for (const [id, changes] of store.entries<AccountChanges>('account')) {
      const account = this.#accounts.get(id);
      // An account that left the YAML keeps its orders and loses its keys.
      if (account !== undefined) this.#accounts.set(id, applyChanges(account, changes));
    }
    this.#indexKeys();
  }

  /** Section 5, point 1: the bearer key, or undefined when no account has it (any more). */
  findByKey(key: string): Caller | undefined {
    return this.#callers.get(key);
  }

  find(accountId: string): Account | undefined {
    return this.#accounts.get(accountId);
  }

  all(): Iterable<Account> {
    return this.#accounts.values();
  }

  /** Takes effect with the next request: an old key is refused at once (section 5, point 6). */
  change(accountId: string, changes: AccountChanges): Account {
    const account = this.#accounts.get(accountId);
    if (account === undefined) throw new Error(`there is no account ${accountId}`);
    for (const key of Object.values(changes.keys ?? {})) {
      const owner = key === undefined ? undefined : this.#callers.get(key);
      if (owner !== undefined && owner.account.id !== accountId) throw new Error('another account has this key');
    }
    const before = this.#stored(accountId);
    this.#store.put('account', accountId, { ...before, ...changes });
    const changed = applyChanges(account, changes);
    this.#accounts.set(accountId, changed);
    this.#indexKeys();
    return changed;
  }

  #stored(accountId: string): AccountChanges {
    for (const [id, changes] of this.#store.entries<AccountChanges>('account')) if (id === accountId) return changes;
    return {};
  }

  #indexKeys(): void {
    this.#callers.clear();
    for (const account of this.#accounts.values()) {
      for (const mode of MODES) {
        const key = account.keys[mode];
        if (key !== undefined) this.#callers.set(key, { account, mode, walletId: walletIdOf(account.id, mode) });
      }
    }
  }
}

export function walletIdOf(accountId: string, mode: Mode): string {
  return `${accountId}:${mode}`;
}

function applyChanges(account: Account, changes: AccountChanges): Account {
  const { webhook_url, ...rest } = { ...account, ...changes };
  return typeof webhook_url === 'string' ? { ...rest, webhook_url } : rest;
}
