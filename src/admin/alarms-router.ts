/** The alarms that are raised, for whoever looks; they are told without being asked as well. */
import express, { type Router } from 'express';
import { fingerprintIn, type ActiveAlarm } from '../domain/alarm';

export function createAlarmsRouter(
  { active }: { readonly active: () => readonly ActiveAlarm[] },
  titleOf: (fingerprint: string) => string | undefined,
): Router {
  const router = express.Router();
  router.get('/', (_request, response) => {
    const alarms = active().map(({ name, subject, text, todo, runbook, sinceMs }) => ({
      ...{ alarm: name, subject, title: titleOf(fingerprintIn(subject) ?? ''), text, todo, runbook },
      since: new Date(sinceMs).toISOString(),
    }));
    response.set('cache-control', 'no-store').json({ alarms });
  });
  return router;
}
