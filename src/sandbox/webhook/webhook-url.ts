import type { Mode } from '../account/account';

/** Why an order of this mode must not be reported to this address, or undefined. Section 6: the URL is HTTPS. */
export function checkWebhookUrl(url: string, mode: Mode): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return undefined;
  if (!/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return 'a webhook address must be https';
  // A vendor who develops has a receiver on the same machine and no certificate; money in live mode knows no such excuse.
  return mode === 'sandbox' ? undefined : 'the webhook address of live orders must be https';
}
