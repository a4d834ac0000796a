import { Refusal } from '../refusal';
import type { Caller } from './account';
import type { AccountBook } from './account-book';

/** Section 5: whose key is it, may they use the API, and from this address? `address` is undefined when it cannot be told. */
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
