/** The page to paste a request of a script: it shows how the request is read and answered, and can send it to the sandbox. */
import express, { type Router } from 'express';
import { errorText } from '../../domain/shown-words';
import type { AccountView } from '../../sandbox/overview';
import { codeBlock, notice, section, selectField, textArea, textOf } from '../components';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { showPage, showPart, type ConsolePage } from '../page';
import { readTry } from '../try/read-try';
import { sendTry, showJson, type SandboxKey } from '../try/send-try';
import { showTried } from '../try/show-try';
import { walletOptions } from './sandbox';

export const tryPage: ConsolePage = {
  path: '/try',
  title: 'Try',
  routes(parts: ConsoleParts): Router {
    const router = express.Router();
    router.get('/', (request, response) => {
      showPage(request, response, { title: 'Try', body: tryForm(parts), styles: ['try.css'] });
    });
    router.post('/read', async ({ body }, response) => {
      const asked = { text: textOf(body, 'text'), address: textOf(body, 'address'), caller: textOf(body, 'caller') };
      const mapping = parts.live.current();
      showPart(response, showTried(await readTry(asked, { mapping, keyring: parts.keyring }), mapping.hash));
    });
    router.post('/send', async ({ body }, response) => {
      showPart(response, await send(body, parts));
    });
    return router;
  },
};

function tryForm(parts: ConsoleParts): Html {
  return html`<form
    class="try"
    hx-post="/console/try/read"
    hx-trigger="input delay:300ms, change, submit"
    hx-target="#read"
    hx-sync="this:queue last"
  >
    <div class="card paste">
      ${textArea({
        name: 'text',
        label: 'What the script sends',
        rows: 16,
        placeholder:
          "curl … -d '{\"network\":1,…}'\n\nor a PHP array: ['network' => 1, 'amount' => 100]\nor a raw HTTP request, JSON, form fields",
        hint: 'A curl command, a raw HTTP request, a PHP array, JSON, form fields. A key in it is not kept, not logged and not shown.',
      })}
      <div class="fields">
        ${selectField({ name: 'address', label: 'Address, if the paste has none', value: firstPurchase(parts), options: addresses(parts) })}
        ${selectField({ name: 'caller', label: 'Caller', options: callers(parts) })}
      </div>
      ${sendBox(parts)}
    </div>
    <div class="result">
      <div id="sent" aria-live="polite"></div>
      <div id="read" aria-live="polite">${showTried({ kind: 'empty' }, '')}</div>
    </div>
  </form>`;
}

function addresses({ live }: ConsoleParts): [string, string][] {
  const { routes, operations } = live.current();
  const plain = routes.filter(({ path }) => !path.includes(':'));
  // The gateway answers with and without the final slash; most scripts write it.
  return plain.flatMap(({ methods, path, operation }): [string, string][] => {
    const method = methods.includes('POST') ? 'POST' : methods[0];
    const title = operations.get(operation)?.title ?? operation;
    return method === undefined ? [] : [[`${method} ${path}/`, `${method} ${path}/  (${title})`]];
  });
}

function firstPurchase({ live }: ConsoleParts): string {
  const { routes, operations } = live.current();
  const first = routes.find(({ path, operation }) => !path.includes(':') && operations.get(operation)?.kind === 'purchase');
  return first === undefined ? '' : `POST ${first.path}/`;
}

function callers({ live }: ConsoleParts): [string, string][] {
  // A script sends one key, whether it is in the sandbox or not.
  const own = [...live.current().callerKeys.values()].filter(({ sandboxOf }) => sandboxOf === undefined);
  const known = own.map(({ fingerprint, title }): [string, string] => [fingerprint, title ?? `key ${fingerprint.slice(0, 8)}`]);
  return [['', 'The key in the paste'], ...known];
}

function sendBox({ sandbox }: ConsoleParts): Html {
  if (sandbox === undefined)
    return html`<p class="note">This gateway sells through a real v1, so a paste is only explained here and never sent.</p>`;
  return html`<div class="row send">
    ${selectField({ name: 'wallet', label: 'Sandbox account', options: walletOptions(sandbox.admin.overview()) })}
    <button
      type="button"
      class="primary"
      hx-post="/console/try/send"
      hx-target="#sent"
      hx-include="closest form"
      hx-disabled-elt="this"
      hx-sync="this:drop"
    >
      Send it to the sandbox
    </button>
  </div>`;
}

async function send(form: unknown, { sandbox, facts, live }: ConsoleParts): Promise<Html> {
  const key = keyOf(textOf(form, 'wallet'), sandbox?.admin.overview().accounts ?? []);
  if (key === undefined)
    return notice('warn', 'Only a gateway that sells into the sandbox sends a paste, and with a key of the sandbox.');
  try {
    const { status, body, tookMs } = await sendTry(textOf(form, 'text'), textOf(form, 'address'), key, facts.publicUrl);
    const requestId = idIn(body, live.current().requestIdSpellings);
    return section(
      'The reply of the gateway',
      html`${codeBlock(showJson(body), 'Reply of the gateway')}
      ${requestId !== undefined && html`<p><a href="/console/orders?q=${encodeURIComponent(requestId)}">Find this order</a></p>`}`,
      { note: `HTTP ${status} in ${Math.round(tookMs)} ms` },
    );
  } catch (error) {
    return notice('bad', errorText(error));
  }
}

function keyOf(walletId: string, accounts: readonly AccountView[]): SandboxKey | undefined {
  const all = accounts.flatMap(({ pin, wallets }) => wallets.map(({ id, apiKey }) => ({ id, apiKey, pin })));
  return all.find(({ id }) => id === walletId);
}

/** The id by which the order of a purchase can be asked for. The reply has it under one of the mapping's spellings. */
function idIn(body: string, spellings: readonly string[]): string | undefined {
  try {
    const reply = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const id = spellings
      .map((spelling) => reply[spelling])
      .find((value) => typeof value === 'string' || typeof value === 'number');
    return id === undefined ? undefined : String(id);
  } catch {
    return undefined;
  }
}
