/** The login page, with one field for ADMIN_TOKEN. */
import express, { type Request, type Router } from 'express';
import { notice, textField, textOf } from '../components';
import { html, type Html } from '../html';
import { showPage } from '../page';
import type { Sessions } from '../session';

export function loginRoutes(sessions: Sessions): Router {
  const router = express.Router();
  router.get('/login', (request, response) => {
    showPage(request, response, { title: 'Log in', body: form(request) });
  });
  router.post('/login', (request, response) => {
    const login = sessions.login(textOf(request.body, 'token').trim(), request.socket.remoteAddress ?? '', request.headers);
    if (login.kind === 'in') {
      response.set('set-cookie', login.cookie).redirect(303, targetOf(request));
      return;
    }
    if (login.kind === 'wait') response.set('retry-after', String(login.seconds));
    const words = login.kind === 'wrong' ? 'That is not the admin token.' : `Too many tries. Try again in ${login.seconds} s.`;
    const status = login.kind === 'wrong' ? 401 : 429;
    showPage(request, response, { title: 'Log in', body: form(request, words), status });
  });
  router.post('/logout', (request, response) => {
    response.set('set-cookie', sessions.logout(request.headers)).redirect(303, '/console/login');
  });
  return router;
}

function form(request: Request, problem?: string): Html {
  return html`<form class="login card" method="post" action="/console/login?to=${encodeURIComponent(targetOf(request))}">
    ${problem !== undefined && notice('bad', problem)}
    ${textField({
      name: 'token',
      label: 'Admin token',
      type: 'password',
      hint: 'The value of ADMIN_TOKEN on the machine of the gateway.',
      isRequired: true,
      autocomplete: 'current-password',
    })}
    <button class="primary">Log in</button>
  </form>`;
}

/** The page to show after the login: always one of the console. Any other address gives the Overview. */
function targetOf(request: Request): string {
  const to = textOf(request.query, 'to');
  const isPage =
    /^\/console(?:[/?]|$)/.test(to) &&
    !to.startsWith('/console/log') &&
    new URL(to, 'http://console').href === `http://console${to}`;
  return isPage ? to : '/console';
}
