/**
 * The gateway's own secret: the one configured, else the one in the data folder, made at the first start. If it is lost, no
 * order can be found, because orders are found by key fingerprint. So it is on disk before it is used.
 */
import { createHmac, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../domain/credentials';

const LENGTH_MIN = 32;
const BYTES = 32;
/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface GatewaySecretOptions {
  readonly gatewaySecret?: Secret | undefined;
  readonly dataDir: string;
}

/** The secret; makes one when there is none. Throws a plain Error for the operator when the file has no valid secret. */
export function readGatewaySecret({ gatewaySecret, dataDir }: GatewaySecretOptions): Secret {
  if (gatewaySecret !== undefined) return gatewaySecret;
  const file = fileIn(dataDir);
  if (!existsSync(file)) createSecretFile(file, dataDir);
  const text = readFileSync(file, 'utf8').trim();
  if (text.length < LENGTH_MIN) {
    throw new Error(`${file} must hold at least ${LENGTH_MIN} characters; restore it, or delete it if no order was ever taken.`);
  }
  return new Secret(text);
}

/**
 * For a gateway that starts: as `readGatewaySecret`, but throws a plain Error also when orders were last sold from this folder with another secret. For
 * the journal in `journalDir` no new secret is made: with it a repeat would not find its order there, and would be sold again.
 */
export function takeGatewaySecret(options: GatewaySecretOptions, journalDir?: string): Secret {
  const { dataDir } = options;
  const known = readCheck(dataDir);
  // No new secret is made in place of the lost one: an operator who looks for that would take the new file for it.
  if (known !== undefined && findGatewaySecret(options) === undefined)
    throw new Error(
      `${dataDir} was last used with a GATEWAY_SECRET or with ${fileIn(dataDir)}, and neither is there now. Restore it; or, if nothing was sold with it, delete ${checkIn(dataDir)}.`,
    );
  if (journalDir !== undefined && existsSync(join(journalDir, 'data.mdb')) && findGatewaySecret(options) === undefined)
    throw new Error(
      `There is a journal at ${journalDir}, but not its secret: neither GATEWAY_SECRET nor ${fileIn(dataDir)}. Set DATA_DIR as before, or restore the secret; or, if nothing was sold from that journal, move it away.`,
    );
  const secret = readGatewaySecret(options);
  const complaint = describeSecretChange(secret, dataDir, journalDir);
  if (complaint !== undefined) throw new Error(complaint);
  leaveCheck(secret, dataDir);
  return secret;
}

/** Writes the check value into a folder that has none: a data folder, or that of a journal, to which a gateway may come with a new data folder. */
export function leaveCheck(secret: Secret, folder: string): void {
  if (readCheck(folder) === undefined) writeFileSync(checkIn(folder), checkOf(secret), { mode: 0o600 });
}

/** The check value in a folder. Undefined also when the file is incomplete: after a loss of power, or while another process writes it. */
function readCheck(folder: string): string | undefined {
  const file = checkIn(folder);
  return existsSync(file) ? /^[0-9a-f]{32}$/.exec(readFileSync(file, 'utf8'))?.[0] : undefined;
}

/**
 * A sentence for the operator when this secret differs from the one last used with one of the folders; undefined when it does not. With another secret
 * no key would match its entry in callers.yaml: a caller's own plan ids would buy v1's plans, and a paused key would sell. No order would be found.
 */
export function describeSecretChange(secret: Secret, dataDir: string, journalDir = dataDir): string | undefined {
  const folder = [dataDir, journalDir].find((one) => (lastCheck(one) ?? checkOf(secret)) !== checkOf(secret));
  if (folder === undefined) return undefined;
  const file = readCheck(folder) === undefined ? fileIn(folder) : checkIn(folder);
  return `The gateway's secret is not the one with which ${folder} was last used, so no key would match its orders or its entry in callers.yaml. Set GATEWAY_SECRET to its old value, or to the content of the old gateway.secret; or, if nothing was sold with the old secret, delete ${file}.`;
}

/** Earlier builds wrote no check value: there the secret in the folder counts as the last one. */
function lastCheck(folder: string): string | undefined {
  const check = readCheck(folder);
  const secret = check === undefined ? findGatewaySecret({ dataDir: folder }) : undefined;
  return check ?? (secret && checkOf(secret));
}

/** A check value: equal for two gateways with the same secret, without revealing it. */
export function checkOf(secret: Secret): string {
  return createHmac('sha256', secret.revealForUseOnly()).update('journal check').digest('hex').slice(0, 32);
}

/** For commands beside the gateway, which make no secret: the fingerprints of a new one are in no journal and no `callers.yaml`. */
export function findGatewaySecret(options: GatewaySecretOptions): Secret | undefined {
  if (options.gatewaySecret === undefined && !existsSync(fileIn(options.dataDir))) return undefined;
  return readGatewaySecret(options);
}

export function missingSecret(dataDir: string): string {
  return `The gateway's secret is missing: GATEWAY_SECRET is not set, and ${fileIn(dataDir)} is not there. Set DATA_DIR or GATEWAY_SECRET as for the gateway, which makes the file at its first start.`;
}

const fileIn = (dataDir: string): string => join(dataDir, 'gateway.secret');
const checkIn = (folder: string): string => join(folder, 'gateway.secret-check');

/** Writes the file under another name and then links it: of several processes at once one wins, and none reads an incomplete file. */
function createSecretFile(file: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, `${randomBytes(BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    publish(draft, file);
    const folder = openSync(dataDir, 'r');
    fsyncSync(folder);
    closeSync(folder);
  } finally {
    rmSync(draft, { force: true });
  }
}

function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (!NO_LINKS.has(code)) throw error;
    renameSync(draft, file);
  }
}
