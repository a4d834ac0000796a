import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../docs/place-program';
import { runHere } from './run-here';
import { newFolder } from '../new-folder';

const SHOP = join(ROOT, 'test', 'php', 'scripts', 'laravel-husmodata.php');

const folder = newFolder();
beforeAll(() => {
  mkdirSync(join(folder, 'vendor'));
  writeFileSync(join(folder, 'vendor', 'library.php'), "curl_init('/api/data/');");
  writeFileSync(
    join(folder, 'shop.php'),
    "<?php\ncurl_init($base . '/api/topup/');\n$sale = ['network' => 1, 'mobile_number' => $phone];\n" +
      "curl_setopt($curl, CURLOPT_TIMEOUT, 20);\nif ($reply['Status'] === 'successful') deliver();\n",
  );
  writeFileSync(
    join(folder, 'request.http'),
    'POST /api/topup/ HTTP/1.1\nUser-Agent: GuzzleHttp/7\nAuthorization: Token very-secret:1234\nContent-Type: application/json\n\n' +
      '{"network":1,"mobile_number":"08031234567","amount":100,"Ported_number":true}',
  );
});

test('a source is printed with its family and the words by which it decides', async () => {
  const { code, stdout } = await runHere('family', SHOP);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Fits: laravel-husmodata\.$/m);
  expect(stdout).toContain('fits  laravel-husmodata: field Ported_number and User-Agent and Accept');
  expect(stdout).toMatch(/^ +\d+ {2}.*\$reply\['Status'\] === 'successful'/m);
});

test('a recorded request is printed with its family and without its values', async () => {
  const { code, stdout } = await runHere('family', '--request', join(folder, 'request.http'));
  expect({ code, fits: stdout.includes('Fits: laravel-husmodata.') }).toEqual({ code: 0, fits: true });
  expect(stdout).not.toMatch(/very-secret|1234|0803/);
});

test('a folder of sources is read without its libraries; where no family fits, YAML to start from is printed', async () => {
  const { code, stdout } = await runHere('family', folder);
  expect(code).toBe(1);
  expect(stdout).not.toContain('library.php');
  expect(stdout).toContain('No family fits.');
  expect(stdout).toContain('extends: b');
  expect(stdout).toContain('patience: 17s');
  expect(stdout).toContain('CURLOPT_TIMEOUT, 20');
});
