/** What runs here, for commands that must not guess: `demo` asks whether v1 is the sandbox, `doctor` whether the settings are the same. */
import express, { type Router } from 'express';
import { fingerprintIn, type ActiveAlarm } from '../domain/alarm';

export interface Running {
  readonly pid: number;
  /** Of Node: `v24.11.0`. */
  readonly node: string;
  readonly startedAtMs: number;
  /** Where scripts go. */
  readonly publicUrl: string;
  readonly upstreamUrl: string;
  /** The embedded sandbox, when it is the upstream. */
  readonly sandbox: { readonly isRelaxed: boolean } | undefined;
  /** As `compat-gateway config` prints them: secrets are masked. */
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

export function createRunningRouter(running: Running): Router {
  const router = express.Router();
  router.get('/', (_request, response) => {
    response.set('cache-control', 'no-store').json(running);
  });
  return router;
}

/** The alarms that are raised, for whoever looks; they are told without being asked as well. */
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
