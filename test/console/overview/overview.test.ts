/** The Overview of a house that sells, and how the page is kept current. */
import { mappingsWith } from '../../faults/timing';
import { buyAirtime, send, useHouse } from '../../flows/house';

const loadedAt = performance.now();
/** Scripts are held two seconds. */
const house = useHouse({ env: { MAPPINGS_DIR: mappingsWith('brief') } });
const overview = async (): Promise<string> => (await fetch(`${house.service.adminUrl}/console`)).text();

test('a house without traffic says so in every table', async () => {
  const text = await overview();
  for (const words of ['All is well.', 'No order is open', 'No request since the start.', 'Not known yet', 'since the start'])
    expect(text).toContain(words);
  // A house has data ten seconds after its start; a busy machine needs that long for this test.
  const hidden = performance.now() - loadedAt < 9_000 ? '' : '( hidden)?';
  expect(text).toMatch(new RegExp(`<span id="charts-wait" class="note" ?${hidden}>The charts wait for data`));
  expect(text).toContain(house.service.live.current().hash.slice(0, 8));
});

test('an order without an end is money at risk, with its naira and its age', async () => {
  const told = send(
    house.url,
    '/api/topup/',
    { network: 1, mobile_number: '08031230003', amount: 1500, Ported_number: true },
    {
      headers: { 'User-Agent': 'axios/1.0' },
    },
  );
  await told;
  const text = await overview();
  expect(text).toMatch(/1 open order[^s]/);
  expect(text).toContain('₦1,500');
  expect(text).toMatch(/charged, not confirmed/);
});

test('a refused request is shown with its code and what its script was told', async () => {
  const { body } = await send(house.url, '/api/topup/', { network: 1, mobile_number: '12', amount: 100, airtime_type: 'VTU' });
  // Notes are written once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const text = await overview();
  expect(text).toContain('<code>invalid_field</code>');
  expect(text).toContain(body.message);
});

test('the stream sends the series first, and with each sample the parts that change', async () => {
  await buyAirtime(house);
  const reply = await fetch(`${house.service.adminUrl}/console/live/overview`);
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/event: news\n.*\n\n/.test(text)) text += (await reader.read()).value ?? '';
  await reader.cancel();
  const [, series] = /event: series\ndata: (.*)/.exec(text)!;
  const [, news] = /event: news\ndata: (.*)/.exec(text)!;
  expect(JSON.parse(series!)).toEqual({ hour: expect.objectContaining({ t: expect.anything() }), day: expect.anything() });
  const { point, parts } = JSON.parse(news!) as { point: { traffic: readonly number[] }; parts: string };
  expect(point.traffic).toHaveLength(5);
  expect([...parts.matchAll(/id="([\w-]+)"/g)].map(([, id]) => id)).toEqual(
    expect.arrayContaining(['health', 'figures', 'open-orders']),
  );
});
