import express from 'express';
import request from 'supertest';
import { createAdminGuard, createHostGuard } from '../../src/admin/admin-guard';
import { Secret } from '../../src/domain/credentials';

function guarded(token?: string) {
  const app = express();
  app.use(createAdminGuard(token === undefined ? undefined : new Secret(token)));
  app.use((_request, response) => void response.send('in'));
  return app;
}

test.each([
  ['[::1]:9090', 200],
  ['127.0.0.1', 200],
  ['[::1%lo]', 200],
  ['[::1%a-b]', 403],
  ['127.1', 403],
  ['10.0.0.1', 403],
  ['page.example', 403],
])('without an ADMIN_TOKEN the Host %s is answered with %i', async (host, status) => {
  const app = express().use(createHostGuard(undefined), (_request, response) => void response.send('in'));
  await request(app).get('/').set('host', host).expect(status);
});

describe('the admin guard', () => {
  it('lets in every caller with the token, from any address', async () => {
    await request(guarded('let-me-in'))
      .get('/')
      .set('authorization', 'Bearer let-me-in')
      .set('origin', 'https://console.example')
      .expect(200);
  });

  it('refuses a caller without the token, also from this machine', async () => {
    await request(guarded('let-me-in')).get('/').expect(401);
  });

  it('never shows the token it expects', async () => {
    const reply = await request(guarded('hunter2')).get('/').set('authorization', 'Bearer wrong');
    expect(JSON.stringify([reply.body, reply.headers])).not.toMatch(/hunter2|wrong/);
  });

  it('without an ADMIN_TOKEN lets in this machine, and refuses a page of another site', async () => {
    await request(guarded()).get('/').expect(200);
    await request(guarded()).get('/').set('origin', 'https://page.example').expect(403);
  });
});
