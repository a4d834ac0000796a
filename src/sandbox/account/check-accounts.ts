import type { Problem } from '../../mapping/problem';
import type { Locate } from '../../mapping/read-yaml';
import { checkWebhookUrl } from '../webhook/webhook-url';
import type { Account } from './account';

/** What the schema cannot say: ids and keys are unique, the tier has prices, and live webhooks are https (section 6). */
export function checkAccounts(
  file: string,
  accounts: readonly Account[],
  tiers: readonly string[],
  locate: Locate,
): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  accounts.forEach((account, index) => {
    const report = (path: readonly PropertyKey[], code: string, message: string) =>
      problems.push({ file, ...locate(['accounts', index, ...path]), code, severity: 'error', message });
    const once = (path: readonly PropertyKey[], text: string | undefined) => {
      if (text === undefined) return;
      if (seen.has(text)) report(path, 'not-unique', `${text} stands twice`);
      seen.add(text);
    };
    once(['id'], account.id);
    once(['keys', 'live'], account.keys.live);
    once(['keys', 'sandbox'], account.keys.sandbox);
    if (account.keys.live === undefined && account.keys.sandbox === undefined) {
      report(['keys'], 'no-key', 'an account needs a live or a sandbox key');
    }
    const { webhook_url: url } = account;
    const fault = url === undefined ? undefined : checkWebhookUrl(url, 'sandbox');
    if (fault !== undefined) report(['webhook_url'], 'webhook-not-https', fault);
    if (!tiers.includes(account.tier)) report(['tier'], 'unknown-tier', `the catalog has no tier ${account.tier}`);
  });
  return problems;
}
