/** The admin call that returns the counted traffic, for `drift`, `plan` and the operator's own tools. */
import express, { type Router } from 'express';
import type { TrafficRecorder } from '../traffic/recorder';
import { refuse } from './admin-guard';

export function createTrafficRouter(traffic: Pick<TrafficRecorder, 'read'> | undefined): Router {
  const router = express.Router();
  if (traffic === undefined)
    return router.use((_request, response) => refuse(response, 409, 'This gateway remembers no traffic: TRAFFIC_SHAPES is off.'));
  router.get('/', async (_request, response) => {
    response.set('cache-control', 'no-store').json(await traffic.read());
  });
  return router;
}
