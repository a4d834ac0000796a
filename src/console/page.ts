/** The frame of every page: navigation, search, theme, and a footer with what is in force. */
import type { Request, Response, Router } from 'express';
import { assetUrl } from './assets';
import type { ConsoleParts } from './console-parts';
import { html, type Html, type Writable } from './html';
import { badge } from './components';
import { readCookie } from './session';

export interface ConsolePage {
  /** Below `/console`: `/orders`; empty for the Overview. */
  readonly path: string;
  readonly title: string;
  readonly routes: (parts: ConsoleParts) => Router;
  /** If absent, the page is always shown. */
  readonly isShown?: (parts: ConsoleParts) => boolean;
}

interface PageContent {
  readonly title: string;
  readonly body: Writable;
  /** Files of `assets/` in addition to those of every page. */
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  readonly status?: number;
}

/** Set by the router for each request: the current place and the entries of the navigation. */
export interface Frame {
  readonly parts: ConsoleParts;
  readonly at: string;
  readonly navigation: readonly { readonly path: string; readonly title: string }[];
  readonly isLoggedIn: boolean;
}

const HTMX = JSON.stringify({
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
});

/** Sends a whole page. */
export function showPage(request: Request, response: Response, content: PageContent): void {
  const frame = response.locals['frame'] as Frame;
  response
    .status(content.status ?? 200)
    .type('html')
    .send(layout(frame, content, themeOf(request)).text);
}

/** Sends a part of a page for htmx to insert. */
export function showPart(response: Response, part: Html): void {
  response.type('html').send(part.text);
}

/** The theme is chosen by a cookie, so that the first paint already has it. */
function themeOf(request: Request): string | undefined {
  const theme = readCookie(request.headers.cookie, 'console_theme');
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

function layout(frame: Frame, content: PageContent, theme: string | undefined): Html {
  const { title, body, scripts = [], styles = [] } = content;
  return html`<!doctype html>
    <html lang="en" data-theme="${theme ?? 'auto'}" data-zone="${frame.parts.facts.timeZone}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="htmx-config" content="${HTMX}" />
        <meta name="referrer" content="same-origin" />
        <title>${title} · compat-gateway</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        ${['style.css', ...styles].map((name) => html`<link rel="stylesheet" href="${assetUrl(name)}" />`)}
        ${['htmx.js', ...scripts.filter((name) => name.startsWith('uplot'))].map(
          (name) => html`<script src="${assetUrl(name)}" defer></script>`,
        )}
        ${['console.js', ...scripts.filter((name) => !name.startsWith('uplot'))].map(
          (name) => html`<script src="${assetUrl(name)}" type="module"></script>`,
        )}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        ${header(frame)}
        <main id="main" tabindex="-1">
          <h1>${title}</h1>
          ${body}
        </main>
        ${footer(frame.parts)}
      </body>
    </html>`;
}

function header({ at, navigation, isLoggedIn, parts }: Frame): Html {
  const links = navigation.map(
    ({ path, title }) =>
      html`<li>
        ${
          path === at
            ? html`<a href="/console${path}" aria-current="page">${title}</a>`
            : html`<a href="/console${path}">${title}</a>`
        }
      </li>`,
  );
  return html`<header class="top">
    <a class="brand" href="/console">compat<span>-gateway</span></a>
    ${
      navigation.length > 0 &&
      html`<nav aria-label="Pages">
        <ul>
          ${links}
        </ul>
      </nav>`
    }
    ${
      navigation.some(({ path }) => path === '/orders') &&
      html`<form class="search" role="search" action="/console/orders" method="get">
        <input
          type="search"
          name="q"
          aria-label="Search orders"
          placeholder="Phone, meter, id, reference"
          autocomplete="off"
          data-search
        />
        <kbd aria-hidden="true">/</kbd>
      </form>`
    }
    <div class="tools">
      <button type="button" class="quiet" data-theme-switch>Theme</button>
      ${
        parts.facts.hasLogin &&
        isLoggedIn &&
        html`<form method="post" action="/console/logout"><button class="quiet">Log out</button></form>`
      }
    </div>
  </header>`;
}

function footer({ facts, live, samples, sandbox }: ConsoleParts): Html {
  const isUp = samples.latest()?.isV1Up ?? true;
  return html`<footer class="foot">
    <span>compat-gateway ${facts.version}</span>
    <span>mapping <code>${live.current().hash.slice(0, 8)}</code></span>
    <span>${isUp ? badge('good', 'v1 up') : badge('bad', 'v1 down')}</span>
    <span>${sandbox === undefined ? 'sells through v1' : 'sells into the sandbox: nothing is really sold'}</span>
  </footer>`;
}
