import { createServer } from 'node:http';
import express from 'express';
import { createStreams, STREAMS_MAX, type Send } from '../../src/console/live';
import { systemClock } from '../../src/domain/clock';
import { listen } from '../listen';
import { opened } from '../opened';
import { until } from '../until';

async function openHouse() {
  const streams = new Set<Send>();
  const ended = new AbortController();
  const app = express();
  app.use((_request, response, next) => {
    response.locals['endings'] = [ended.signal];
    next();
  });
  app.get(
    '/',
    createStreams(systemClock, (send) => {
      streams.add(send);
      return () => streams.delete(send);
    }),
  );
  return { ...(await listen(createServer(app))), streams, ended };
}

const house = opened(openHouse, beforeEach, afterEach);

test('a sent value arrives as an event, and a browser that disconnects is forgotten', async () => {
  const leave = new AbortController();
  const reply = await fetch(house.url, { signal: leave.signal });
  const [send] = house.streams;
  send!('news', { words: 'one\ntwo' });
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('one')) text += (await reader.read()).value ?? '';
  expect(reply.headers.get('content-type')).toContain('text/event-stream');
  expect(text).toBe(': still here\n\nevent: news\ndata: {"words":"one\\ntwo"}\n\n');
  leave.abort();
  await until(() => house.streams.size === 0);
});

test('the number of streams is limited, and one that ends makes room', async () => {
  const leaving = new AbortController();
  await fetch(house.url, { signal: leaving.signal });
  for (let count = 1; count < STREAMS_MAX; count += 1) await fetch(house.url);
  const late = await fetch(house.url);
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '30']);
  leaving.abort();
  await until(() => house.streams.size === STREAMS_MAX - 1);
  expect((await fetch(house.url)).status).toBe(200);
});

test('every stream ends with its session', async () => {
  const reply = await fetch(house.url);
  house.ended.abort();
  expect(await reply.text()).toBe(': still here\n\n');
  await until(() => house.streams.size === 0);
  expect((await fetch(house.url)).status).toBe(503);
});
