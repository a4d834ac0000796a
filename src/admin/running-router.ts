/** Describes the running gateway for commands: `demo` needs to know whether v1 is the sandbox, `doctor` compares the settings. */
import express, { type Router } from 'express';
import { fingerprintIn, type ActiveAlarm } from '../domain/alarm';

export interface Running {
  readonly pid: number;
  /** The version of Node: `v24.11.0`. */
  readonly node: string;
  readonly startedAtMs: number;
  /** The address to which scripts send their requests. */
  readonly publicUrl: string;
  readonly upstreamUrl: string;
  /** Set if the embedded sandbox is the upstream. */
  readonly sandbox: { readonly isRelaxed: boolean } | undefined;
  /** The settings as `compat-gateway config` prints them, with secrets masked. */
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

export function createRunningRouter(running: Running): Router {
  const router = express.Router();
  router.get('/', (_request, response) => {
    response.set('cache-control', 'no-store').json(running);
  });
  return router;
}

/** Lists the active alarms. Operators also get them without asking. */
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
