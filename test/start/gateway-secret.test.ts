import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { findGatewaySecret, missingSecret, readGatewaySecret, takeGatewaySecret } from '../../src/start/gateway-secret';
import { newFolder } from '../new-folder';

const folder = newFolder();

describe('the gateway secret', () => {
  it('is the configured one, and then no file is made', () => {
    const gatewaySecret = new Secret('x'.repeat(32));
    const dataDir = join(folder, 'configured');
    expect(readGatewaySecret({ gatewaySecret, dataDir })).toBe(gatewaySecret);
    expect(() => statSync(dataDir)).toThrow();
  });

  it('is the one by which the folder was last sold from, or no gateway starts', () => {
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

  it('is taken where its check was cut off, by a loss of power or because another worker writes it just now', () => {
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

  it('is not made anew where it was lost: the operator shall find nothing in its place', () => {
    const dataDir = join(folder, 'lost');
    takeGatewaySecret({ dataDir });
    rmSync(join(dataDir, 'gateway.secret'));
    expect(() => takeGatewaySecret({ dataDir })).toThrow(
      /was last used with a GATEWAY_SECRET or with .*gateway\.secret, and neither is there/,
    );
    expect(readdirSync(dataDir)).toEqual(['gateway.secret-check']);
  });

  it('is made once, for its owner alone, and stays the same', () => {
    const dataDir = join(folder, 'a', 'new', 'folder');
    const first = readGatewaySecret({ dataDir }).revealForUseOnly();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(readGatewaySecret({ dataDir }).revealForUseOnly()).toBe(first);
    expect(statSync(join(dataDir, 'gateway.secret')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['gateway.secret']);
  });

  it('is another one in another data folder', () => {
    const one = readGatewaySecret({ dataDir: join(folder, 'one') }).revealForUseOnly();
    expect(readGatewaySecret({ dataDir: join(folder, 'two') }).revealForUseOnly()).not.toBe(one);
  });

  it('is found beside the gateway, and never made there', () => {
    const dataDir = join(folder, 'beside');
    expect(findGatewaySecret({ dataDir })).toBeUndefined();
    expect(missingSecret(dataDir)).toContain(`${join(dataDir, 'gateway.secret')} is not there`);
    expect(() => statSync(dataDir)).toThrow();
    const made = readGatewaySecret({ dataDir }).revealForUseOnly();
    expect(findGatewaySecret({ dataDir })?.revealForUseOnly()).toBe(made);
    const gatewaySecret = new Secret('x'.repeat(32));
    expect(findGatewaySecret({ gatewaySecret, dataDir: join(folder, 'none') })).toBe(gatewaySecret);
  });

  it('is never replaced when its file was emptied: orders hang on it', () => {
    writeFileSync(join(folder, 'gateway.secret'), '\n');
    expect(() => readGatewaySecret({ dataDir: folder })).toThrow(/gateway\.secret must hold at least 32 characters/);
  });
});
