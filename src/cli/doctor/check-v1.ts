/** Checks whether v1 can be reached, answers as v1, and agrees with the mapping. */
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { isLoopback } from '../../start/config-values';
import { catalogListsOf } from '../../gateway/read/catalog-lists';
import { isJsonObject, type JsonValue, textOf } from '../../domain/json';
import type { Mapping } from '../../mapping/mapping';
import { readCatalog, type PriceList } from '../../price-lists/price-lists';
import { v1BalanceReplySchema } from '../../upstream/v1';
import { mend, note, well, type Check, type Finding, type Found, type CheckInput } from './finding';

const ANSWER_MS = 10_000;
/**
 * The gateway finds lost orders in v1's history by their times, and gives up if the clocks are ten minutes apart. This check
 * warns well before that.
 */
const CLOCK_APART_MS = 60_000;
const CERTIFICATE_DAYS_MIN = 21;
const DAY_MS = 86_400_000;
const NOTHING_CAN_BE_SOLD = 'Scripts are told that nothing was sent, and nothing can be sold.';

/** The address of v1: the configured one, or that of the embedded sandbox of the running gateway. */
function v1UrlOf({ config, found }: CheckInput): string | undefined {
  return (
    config.upstreamUrl ??
    (found.kind === 'running' && found.running.sandbox !== undefined ? found.running.upstreamUrl : undefined)
  );
}

export const checkReach: Check = async (input) => {
  const { config } = input;
  const url = v1UrlOf(input);
  const isSandbox = config.upstreamUrl === undefined;
  const sandbox = note(
    'The upstream is the embedded sandbox.',
    'Nothing is really sold: scripts get replies about simulated sales.',
    'Set UPSTREAM_URL to the address of v1 to sell.',
  );
  if (url === undefined) return [sandbox];
  const answer = await askV1(url, '/balance');
  if ('code' in answer) return unreachable(url, answer.code);
  return [isSandbox ? sandbox : [], judgeShape(url, answer), judgeClock(answer, input.now())].flat();
};

/** Every call to v1 has a key, so the connection must be encrypted by a valid certificate. */
export const checkTls: Check = async (input) => {
  const { config, now } = input;
  if (config.upstreamUrl === undefined) return [];
  const { protocol, hostname, port } = new URL(config.upstreamUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') {
    if (isLoopback(host)) return [];
    return mend(
      'UPSTREAM_URL is http.',
      'Keys and PINs of all resellers cross the network unencrypted.',
      'Use the https address of v1, or put a TLS proxy on this machine between.',
    );
  }
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), ...name, rejectUnauthorized: false });
  try {
    const timeout = AbortSignal.timeout(ANSWER_MS);
    await once(socket, 'secureConnect', { signal: timeout });
    const { valid_to: validTo } = socket.getPeerCertificate();
    const days = Math.floor((Date.parse(validTo) - now()) / DAY_MS);
    if (days < CERTIFICATE_DAYS_MIN)
      return mend(
        `The certificate of v1 ends in ${days} days.`,
        'From then on no call reaches v1, and nothing can be sold.',
        "Ask v1's operator to renew it.",
      );
    // An untrusted certificate is reported by the check whether v1 can be reached.
    return socket.authorized ? [well(`The certificate of v1 is good for ${days} days.`)] : [];
  } catch {
    // The check whether v1 can be reached reports this already.
    return [];
  } finally {
    socket.destroy();
  }
};

/** Only with a key: reads its balance and catalog at v1. */
export const checkKey: Check = async (input) => {
  const { key, mapping } = input;
  const url = v1UrlOf(input);
  if (key === undefined || url === undefined) return [];
  const balance = await askV1(url, '/balance', key.revealForUseOnly());
  if ('code' in balance) return [];
  if (balance.status === 401 || balance.status === 403) return keyRefused(balance);
  const read = v1BalanceReplySchema.safeParse(balance.body);
  if (balance.status !== 200 || !read.success) return unexpectedAnswer('/balance', balance.status);
  const found: Finding[] = [well(`The key works: ${read.data.data.wallet_balance} naira in its wallet.`)];
  const catalog = await askV1(url, '/catalog', key.revealForUseOnly());
  const body = 'body' in catalog ? (catalog.body as JsonValue | undefined) : undefined;
  const list = isJsonObject(body) ? readCatalog(body) : undefined;
  if (list === undefined) return [...found, unexpectedAnswer('/catalog', 'status' in catalog ? catalog.status : 0)];
  found.push(well(`The catalog has ${list.data_plans.length} data plans and ${list.cable_plans.length} cable plans.`));
  return mapping === undefined ? found : [...found, ...checkOwnNumbers(list, mapping)];
};

/**
 * Plan ids of single callers that v1 no longer sells. Sales of them are refused, and v1 may later give the id to another plan. Keys in the
 * sandbox order from its catalog.
 */
function checkOwnNumbers(catalog: PriceList, mapping: Mapping): readonly Finding[] {
  const { lists } = catalogListsOf(catalog, mapping);
  const ofV1 = [...mapping.callerKeys.values()].filter((key) => !key.isSandboxed && key.sandboxOf === undefined);
  return ofV1.flatMap(({ fingerprint, title, columns, numbers }) => {
    const gone = [...columns].flatMap(([list, ofList]) =>
      ofList.flatMap(({ column, table }) =>
        [...numbers.get(table.name)!.meanings]
          .filter(([, ours]) => typeof ours === 'number' && !(lists[list] ?? []).some((row) => row[column] === ours))
          .map(([number, ours]) => `${number} (${list} ${textOf(ours)})`),
      ),
    );
    if (gone.length === 0) return [];
    return mend(
      `${title ?? fingerprint} has numbers in callers.yaml that v1's catalog does not have: ${gone.join(', ')}.`,
      'Sales of these plans are refused.',
      `Correct \`numbers\` of ${title ?? 'this key'} in mappings/callers.yaml by what v1 sells now, then \`compat-gateway reload\`.`,
    );
  });
}

type Answer = { readonly status: number; readonly body: unknown; readonly isJson: boolean; readonly dateMs: number | undefined };

/** As for the gateway's own calls, certificates are verified whatever the environment says. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: true } });

async function askV1(url: string, path: string, key?: string): Promise<Answer | { readonly code: string }> {
  try {
    const answer = await request(`${url}${path}`, {
      dispatcher,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
    });
    const text = await answer.body.text();
    const dateMs = Date.parse(String(answer.headers['date'] ?? ''));
    return { status: answer.statusCode, ...parsed(text), dateMs: Number.isNaN(dateMs) ? undefined : dateMs };
  } catch (error) {
    const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
    return { code: code ?? cause?.code ?? message };
  }
}

function parsed(text: string): { readonly body: unknown; readonly isJson: boolean } {
  try {
    return { body: JSON.parse(text), isJson: true };
  } catch {
    return { body: undefined, isJson: false };
  }
}

const CURES: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'Correct the host of UPSTREAM_URL, or the name service of this machine.'],
  [
    /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/,
    'Correct host and `https` of UPSTREAM_URL; a certificate of your own authority goes into NODE_EXTRA_CA_CERTS.',
  ],
  [/SSL|EPROTO|WRONG_VERSION/, 'Correct `https` or the port of UPSTREAM_URL: the server there does not use TLS.'],
];

function unreachable(url: string, code: string): Finding {
  const todo = CURES.find(([pattern]) => pattern.test(code))?.[1];
  return mend(
    `v1 cannot be reached at ${url} (${code}).`,
    NOTHING_CAN_BE_SOLD,
    todo ?? 'Check that v1 runs, that host and port of UPSTREAM_URL are right, and that no firewall is between.',
  );
}

/** Section 7: without a key v1 answers 401 with JSON whose `status` is a text. */
function judgeShape(url: string, { status, body, isJson }: Answer): Finding {
  const hasStatus = typeof (body as { status?: unknown } | undefined)?.status === 'string';
  if (status === 401 && isJson && hasStatus) return well(`v1 answers at ${url}.`);
  const what = isJson ? `HTTP ${status}, JSON of another shape` : `HTTP ${status}, and no JSON`;
  return mend(
    `The server at ${url} is not v1: GET /balance without a key gives ${what}, where v1 gives 401 and JSON.`,
    'Answers of another server prove nothing: orders sent there stay unknown.',
    'Correct the path of UPSTREAM_URL (it ends before /balance). A page (HTML) is a parking or maintenance page, or a filter in front of v1.',
  );
}

function judgeClock({ dateMs }: Answer, now: number): Found {
  if (dateMs === undefined) return [];
  const apartMs = now - dateMs;
  if (Math.abs(apartMs) < CLOCK_APART_MS) return well("The clock agrees with v1's.");
  return mend(
    `The clock of this machine is ${Math.round(Math.abs(apartMs) / 1_000)} seconds ${apartMs > 0 ? 'ahead of' : 'behind'} v1's.`,
    "Open orders are looked for in v1's history by their time; with clocks more than ten minutes apart none is found.",
    'Let the machine keep its time by NTP (timedatectl set-ntp true).',
  );
}

function keyRefused({ status, body }: Answer): Finding {
  const message = (body as { message?: unknown } | undefined)?.message;
  return mend(
    `v1 refuses the key: HTTP ${status}${typeof message === 'string' ? `, ${message.slice(0, 200)}` : ''}.`,
    'A script with this key sells nothing.',
    status === 403
      ? 'The key may be locked to other addresses: have this machine added at v1.'
      : 'Check that it is the live key, and that it was not regenerated.',
  );
}

function unexpectedAnswer(path: string, status: number): Finding {
  return mend(
    `v1 answers GET ${path} in a form that this version cannot read (HTTP ${status}).`,
    'Scripts do not get balances, prices and lists.',
    'Check the answer by hand, and the version of v1.',
  );
}
