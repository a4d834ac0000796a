import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { findGatewaySecret, missingSecret, readGatewaySecret, takeGatewaySecret } from '../../src/start/gateway-secret';
import { newFolder } from '../new-folder';

const folder = newFolder();

describe('the gateway secret', () => {
  it('is GATEWAY_SECRET when set, and then no file is written', () => {
    const gatewaySecret = new Secret('x'.repeat(32));
    const dataDir = join(folder, 'configured');
    expect(readGatewaySecret({ gatewaySecret, dataDir })).toBe(gatewaySecret);
    expect(() => statSync(dataDir)).toThrow();
  });

  it('must be the one with which the data folder was last used, or the gateway does not start', () => {
    const dataDir = join(folder, 'moved');
    const made = takeGatewaySecret({ dataDir });
    const other = { gatewaySecret: new Secret('y'.repeat(32)), dataDir };
    expect(() => takeGatewaySecret(other)).toThrow(/is not the one with which .*moved was last used/);
    expect(() => takeGatewaySecret(other)).not.toThrow(/yyyy/);
    expect(findGatewaySecret(other)).toBe(other.gatewaySecret);
    const same = { gatewaySecret: new Secret(made.revealForUseOnly()), dataDir };
    expect(takeGatewaySecret(same)).toBe(same.gatewaySecret);
    rmSync(join(dataDir, 'gateway.secret'));
    expect(() => takeGatewaySecret({ dataDir })).toThrow(/was last used with/);
    rmSync(join(dataDir, 'gateway.secret-check'));
    expect(takeGatewaySecret(other)).toBe(other.gatewaySecret);
    expect(readFileSync(join(dataDir, 'gateway.secret-check'), 'utf8')).not.toContain('yyyy');
  });

  it('must be that of gateway.secret in the folder of an earlier build, which left no check file', () => {
    const dataDir = join(folder, 'earlier');
    const made = readGatewaySecret({ dataDir });
    const other = { gatewaySecret: new Secret('y'.repeat(32)), dataDir };
    expect(() => takeGatewaySecret(other)).toThrow(
      /is not the one with which .*earlier was last used.* delete .*gateway\.secret\.$/,
    );
    const same = { gatewaySecret: new Secret(made.revealForUseOnly()), dataDir };
    expect(takeGatewaySecret(same)).toBe(same.gatewaySecret);
  });

  it('is accepted when its check file is empty, after a loss of power or while another worker writes the file', () => {
    const dataDir = join(folder, 'cut');
    const made = takeGatewaySecret({ dataDir }).revealForUseOnly();
    const check = join(dataDir, 'gateway.secret-check');
    const text = readFileSync(check, 'utf8');
    writeFileSync(check, '');
    expect(takeGatewaySecret({ dataDir }).revealForUseOnly()).toBe(made);
    expect(readFileSync(check, 'utf8')).toBe(text);
    utimesSync(check, 1, 1);
    takeGatewaySecret({ dataDir });
    expect(statSync(check).mtimeMs).toBe(1_000);
  });

  it('is not made again when its file was lost: the start fails and writes no new file', () => {
    const dataDir = join(folder, 'lost');
    takeGatewaySecret({ dataDir });
    rmSync(join(dataDir, 'gateway.secret'));
    expect(() => takeGatewaySecret({ dataDir })).toThrow(
      /was last used with a GATEWAY_SECRET or with .*gateway\.secret, and neither is there/,
    );
    expect(readdirSync(dataDir)).toEqual(['gateway.secret-check']);
  });

  it('is not made for a journal that has orders: a new data folder beside an old journal, or a journal without its data folder', () => {
    const journal = join(folder, 'kept', 'journal');
    mkdirSync(journal, { recursive: true });
    writeFileSync(join(journal, 'data.mdb'), '');
    for (const dataDir of [join(folder, 'fresh'), join(folder, 'kept')]) {
      expect(() => takeGatewaySecret({ dataDir }, journal)).toThrow(/There is a journal at .*kept.journal, but not its secret/);
      expect(findGatewaySecret({ dataDir })).toBeUndefined();
    }
    const known = { gatewaySecret: new Secret('z'.repeat(32)), dataDir: join(folder, 'kept') };
    expect(takeGatewaySecret(known, journal)).toBe(known.gatewaySecret);
  });

  it('is made once, readable by its owner alone, and stays the same', () => {
    const dataDir = join(folder, 'a', 'new', 'folder');
    const first = readGatewaySecret({ dataDir }).revealForUseOnly();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(readGatewaySecret({ dataDir }).revealForUseOnly()).toBe(first);
    expect(statSync(join(dataDir, 'gateway.secret')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['gateway.secret']);
  });

  it('differs between two data folders', () => {
    const one = readGatewaySecret({ dataDir: join(folder, 'one') }).revealForUseOnly();
    expect(readGatewaySecret({ dataDir: join(folder, 'two') }).revealForUseOnly()).not.toBe(one);
  });

  it('is read, but never made, by a command beside the gateway', () => {
    const dataDir = join(folder, 'beside');
    expect(findGatewaySecret({ dataDir })).toBeUndefined();
    expect(missingSecret(dataDir)).toContain(`${join(dataDir, 'gateway.secret')} is not there`);
    expect(() => statSync(dataDir)).toThrow();
    const made = readGatewaySecret({ dataDir }).revealForUseOnly();
    expect(findGatewaySecret({ dataDir })?.revealForUseOnly()).toBe(made);
    const gatewaySecret = new Secret('x'.repeat(32));
    expect(findGatewaySecret({ gatewaySecret, dataDir: join(folder, 'none') })).toBe(gatewaySecret);
  });

  it('is never replaced when its file is empty, because orders depend on it', () => {
    writeFileSync(join(folder, 'gateway.secret'), '\n');
    expect(() => readGatewaySecret({ dataDir: folder })).toThrow(/gateway\.secret must hold at least 32 characters/);
  });
});
