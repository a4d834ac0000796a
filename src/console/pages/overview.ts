/** The page to leave open: whether the gateway is well, and where money is at risk. */
import express from 'express';
import type { ConsoleParts } from '../console-parts';
import { html, type Html } from '../html';
import { createStreams, type Send } from '../live';
import { pointOf, seriesOf } from '../overview/outcome-groups';
import { readOverview } from '../overview/read-overview';
import { chartPart, livingParts, timesTable, trafficTable } from '../overview/sections';
import { showPage, type ConsolePage } from '../page';

export const overviewPage: ConsolePage = {
  path: '',
  title: 'Overview',
  routes(parts: ConsoleParts) {
    const router = express.Router();
    router.get('/', async (request, response) => {
      showPage(request, response, {
        title: 'Overview',
        body: body(parts, await readParts(parts)),
        scripts: ['uplot.js', 'charts.js', 'live.js'],
        styles: ['uplot.css'],
      });
    });
    router.get('/live/overview', streamOf(parts));
    return router;
  },
};

async function readParts(parts: ConsoleParts): Promise<readonly Html[]> {
  return livingParts(parts, await readOverview(parts));
}

/** A line needs two samples. Those of the hour are five seconds apart, those of the day a minute. */
const CHARTS_WAIT =
  'The charts wait for data: first lines of the hour come ten seconds after a start, of the day after two minutes.';

function body(
  parts: ConsoleParts,
  [health, figures, openOrders, v1, operations, refused, callers, inForce]: readonly Html[],
): Html {
  const samples = parts.samples.hour();
  return html`<div data-live="/console/live/overview">
    ${health} ${figures}
    <div class="row spans" role="group" aria-label="Span of the charts">
      <button type="button" class="quiet" data-span="hour" aria-pressed="true">Last hour</button>
      <button type="button" class="quiet" data-span="day" aria-pressed="false">Last day</button>
      <span id="charts-wait" class="note" ${samples.length > 1 && html` hidden`}>${CHARTS_WAIT}</span>
    </div>
    <div class="grid">
      ${chartPart('traffic', 'Traffic', 'requests a minute', trafficTable(samples))}
      ${chartPart('times', 'Times', 'milliseconds', timesTable(samples))} ${openOrders}
      <div class="column">${operations} ${refused}</div>
      <div class="column">${callers} ${v1} ${inForce}</div>
    </div>
  </div>`;
}

/** The parts are made once and sent to all open pages. */
function streamOf(parts: ConsoleParts) {
  const { samples, clock, onTrouble } = parts;
  const listeners = new Set<Send>();
  let stopListening: (() => void) | undefined;
  const tell = async (): Promise<void> => {
    const latest = samples.latest();
    if (latest === undefined) return;
    const news = { point: pointOf(latest), parts: (await readParts(parts)).map(String).join('') };
    for (const send of listeners) send('news', news);
  };
  return createStreams(clock, (send) => {
    send('series', { hour: seriesOf(samples.hour()), day: seriesOf(samples.day()) });
    listeners.add(send);
    stopListening ??= samples.listen(() => void tell().catch((error: unknown) => onTrouble('console', error)));
    return () => {
      listeners.delete(send);
      if (listeners.size > 0) return;
      stopListening?.();
      stopListening = undefined;
    };
  });
}
