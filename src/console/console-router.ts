/**
 * The console: which pages there are, and what holds for all of them.
 *
 * To add a page: write `pages/<name>.ts` with a `ConsolePage` (its path below `/console`, its title, and `routes`, a function from
 * the parts to an Express router), and put it into `PAGES` at the place where it shall stand in the navigation. In a route,
 * `showPage(request, response, { title, body })` answers with a whole page and `showPart(response, html)` with what htmx asked for.
 * Every value in html`…` is escaped. Tables, forms, badges and the like are in `components.ts`. Scripts and styles are files in
 * `assets/`, named in `scripts` and `styles` of the page: the security policy takes neither inline scripts nor style attributes.
 * Then add a line to `test/console/pages.test.ts`, and a browser looks at the page in every size and theme.
 */
import express, { type NextFunction, type Request, type Response } from 'express';
import { isOfForeignPage } from '../admin/admin-guard';
import { serveAsset } from './assets';
import { notice, showTimesIn } from './components';
import type { ConsoleParts } from './console-parts';
import { html } from './html';
import { loginRoutes } from './pages/login';
import { callersPage } from './pages/callers';
import { ordersPage } from './pages/orders';
import { mappingsPage } from './pages/mappings';
import { overviewPage } from './pages/overview';
import { sandboxPage } from './pages/sandbox';
import { tryPage } from './pages/try';
import { showPage, showPart, type ConsolePage, type Frame } from './page';
import { createSessions, type Sessions } from './session';

/** In the order of the navigation. */
const PAGES: readonly ConsolePage[] = [overviewPage, ordersPage, callersPage, mappingsPage, tryPage, sandboxPage];

const FORM_MAX = '1mb';

const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export type Console = ReturnType<typeof createConsole>;

/** `isToken` is undefined without an ADMIN_TOKEN. Then everyone who reaches the admin port is let in, as with admin calls. */
export function createConsole(parts: ConsoleParts, isToken: ((shown: string) => boolean) | undefined) {
  const sessions = isToken === undefined ? undefined : createSessions({ clock: parts.clock, isToken });
  const closed = new AbortController();
  showTimesIn(parts.facts.timeZone);
  const pages = PAGES.filter(({ isShown }) => isShown?.(parts) ?? true);
  const navigation = pages.map(({ path, title }) => ({ path, title }));
  const router = express.Router();
  router.use(setHeaders);
  router.get('/assets/:name', serveAsset);
  router.use(refuseForeignPages);
  // Set before the request is read, so that the error about an unreadable request is a page too.
  router.use((request, response, next) => {
    const session = sessions?.read(request.headers);
    const isLoggedIn = sessions === undefined || session !== undefined;
    const frame: Frame = { parts, at: topOf(request.path), navigation: isLoggedIn ? navigation : [], isLoggedIn };
    response.locals['frame'] = frame;
    response.locals['endings'] = [closed.signal, ...(session === undefined ? [] : [session.ended])];
    next();
  });
  router.use(express.urlencoded({ extended: false, limit: FORM_MAX }));
  if (sessions !== undefined) router.use(loginRoutes(sessions), demandLogin(sessions));
  // The Overview's path is a prefix of all others, so it comes last.
  for (const page of [...pages].reverse()) router.use(page.path === '' ? '/' : page.path, page.routes(parts));
  router.use((request, response) => {
    const body = notice('warn', html`There is no page <code>/console${request.path}</code>.`);
    showPage(request, response, { title: 'Not found', body, status: 404 });
  });
  router.use(answerError(parts));
  /** Ends all sessions and streams. */
  const close = (): void => (closed.abort(), sessions?.close());
  return { router, close };
}

/** `/orders` for `/orders/12/story`; empty for the Overview. */
function topOf(path: string): string {
  const [, first = ''] = path.split('/');
  return PAGES.find((page) => page.path === `/${first}`)?.path ?? first;
}

function setHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.set({
    'content-security-policy': SECURITY_POLICY,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  next();
}

/** Another site may only link to a page, as in a chat message. All its other requests are refused. */
function refuseForeignPages(request: Request, response: Response, next: NextFunction): void {
  const isLink =
    request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate' && request.headers.origin === undefined;
  if (isLink || !isOfForeignPage(request)) return next();
  response.status(403).type('text').send('The console takes nothing from other web pages.\n');
}

function demandLogin(sessions: Sessions) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (sessions.read(request.headers) !== undefined) return next();
    // The browser does not send the cookie with a link from another site. This page makes it ask again from here.
    if (request.headers['sec-fetch-site'] === 'cross-site') {
      response
        .type('html')
        .send(html`<!doctype html><meta http-equiv="refresh" content="0" /><title>compat-gateway</title>`.text);
      return;
    }
    const login = `/console/login?to=${encodeURIComponent(pageOf(request))}`;
    // A redirect header, because htmx would insert the login form into the middle of a page.
    if (isOfHtmx(request)) response.status(401).set('hx-redirect', login).end();
    else if (request.accepts(['html', 'text/event-stream']) === 'text/event-stream') response.status(401).end();
    else response.redirect(303, login);
  };
}

/** The address to return to after a login. A request of htmx is for a part of a page, so it is the address of that page. */
function pageOf(request: Request): string {
  if (!isOfHtmx(request)) return request.method === 'GET' ? request.originalUrl : '/console';
  const looking = String(request.headers['hx-current-url']);
  if (!URL.canParse(looking)) return '/console';
  const { pathname, search } = new URL(looking);
  return `${pathname}${search}`;
}

function isOfHtmx({ headers }: Request): boolean {
  return headers['hx-request'] === 'true';
}

function answerError({ onTrouble }: ConsoleParts) {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express recognises an error handler by its four parameters.
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
    const isTheirs = status >= 400 && status < 500;
    if (!isTheirs) onTrouble('console', error);
    // Half of a file has left: it must not look like a whole one.
    if (response.headersSent) return void response.destroy();
    const theirs = status === 413 ? 'This is too large: a form takes one megabyte at most.' : 'The request cannot be read.';
    const body = notice('bad', isTheirs ? theirs : 'This page failed; the log says why.');
    // htmx does not show replies with an error status, and inserts a whole page only if that page replaces a whole one.
    if (isOfHtmx(request) && request.headers['hx-target'] !== 'main') return showPart(response, body);
    const told = isTheirs ? status : 500;
    showPage(request, response, { title: 'Something is wrong', body, status: isOfHtmx(request) ? 200 : told });
  };
}
