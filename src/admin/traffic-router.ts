/** Admin calls that return the counted traffic, for `drift`, `plan` and the operator's own tools, and that delete it. */
import express, { type Router } from 'express';
import type { TrafficRecorder } from '../traffic/recorder';
import { refuse } from './admin-guard';

export function createTrafficRouter(traffic: Pick<TrafficRecorder, 'read' | 'forget'> | undefined): Router {
  const router = express.Router();
  if (traffic === undefined)
    return router.use((_request, response) => refuse(response, 409, 'This gateway remembers no traffic: TRAFFIC_SHAPES is off.'));
  router.get('/', async (_request, response) => {
    response.set('cache-control', 'no-store').json(await traffic.read());
  });
  const forget: express.RequestHandler = async (_request, response) => {
    await traffic.forget();
    response.json({ status: 'forgotten' });
  };
  router.delete('/', forget);
  router.post('/forget', forget);
  return router;
}
