/** Admin calls that only read: the running gateway, its alarms and its traffic, for commands and for the operator's own tools. */
import express, { type Router } from 'express';
import { fingerprintIn, type ActiveAlarm } from '../domain/alarm';
import type { TrafficRecorder } from '../traffic/recorder';
import { refuse } from './admin-guard';

/** What commands need to know: `demo` whether v1 is the sandbox, `doctor` the settings. */
export interface Running {
  readonly pid: number;
  /** The version of Node: `v24.11.0`. */
  readonly node: string;
  /** The limit of open files of each process. An earlier build does not tell it. */
  readonly openFilesMax?: number;
  readonly startedAtMs: number;
  /** The address to which scripts send their requests. */
  readonly publicUrl: string;
  readonly upstreamUrl: string;
  /** Set if the embedded sandbox is the upstream. */
  readonly sandbox: { readonly isRelaxed: boolean } | undefined;
  /** The settings as `compat-gateway config` prints them, with secrets masked. */
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

/** Answers with what `read` gives at the moment. */
export function createReadRouter(read: () => object | Promise<object>): Router {
  return express.Router().get('/', async (_request, response) => {
    response.set('cache-control', 'no-store').json(await read());
  });
}

/** Lists the active alarms. Operators also get them without asking. */
export function createAlarmsRouter(
  { active }: { readonly active: () => readonly ActiveAlarm[] },
  titleOf: (fingerprint: string) => string | undefined,
): Router {
  return createReadRouter(() => ({
    alarms: active().map(({ name, subject, text, todo, runbook, sinceMs }) => ({
      ...{ alarm: name, subject, title: titleOf(fingerprintIn(subject) ?? ''), text, todo, runbook },
      since: new Date(sinceMs).toISOString(),
    })),
  }));
}

export function createTrafficRouter(traffic: Pick<TrafficRecorder, 'read'> | undefined): Router {
  if (traffic !== undefined) return createReadRouter(() => traffic.read());
  return express
    .Router()
    .use((_request, response) => refuse(response, 409, 'This gateway remembers no traffic: TRAFFIC_SHAPES is off.'));
}
