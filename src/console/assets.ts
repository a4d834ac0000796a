/** Serves the files of pages by name and content hash, so that a browser may keep them for ever. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The files from packages, used when the program runs from its sources. The build copies everything into one folder. */
const FROM_PACKAGES: Readonly<Record<string, string>> = {
  'htmx.js': 'htmx.org/dist/htmx.min.js',
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};

/** The same folder for `dist/console` and `dist/one-file`. */
const BUILT = join(__dirname, '..', 'console-assets');

interface Asset {
  readonly type: string;
  readonly hash: string;
  readonly bytes: Buffer;
  readonly packed: Buffer;
}

const loaded = new Map<string, Asset>();

function load(name: string): Asset | undefined {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const type = TYPES[name.split('.').at(-1)!];
  const path = pathOf(name);
  if (!/^[a-z][a-z0-9-]*\.[a-z]+$/.test(name) || type === undefined || !existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const asset = { type, hash, bytes, packed: gzipSync(bytes, { level: 9 }) };
  loaded.set(name, asset);
  return asset;
}

function pathOf(name: string): string {
  if (existsSync(BUILT)) return join(BUILT, name);
  const fromPackage = FROM_PACKAGES[name];
  if (fromPackage === undefined) return join(__dirname, 'assets', name);
  return join(__dirname, '..', '..', 'node_modules', fromPackage);
}

/** `/console/assets/style.css?v=…` */
export function assetUrl(name: string): string {
  const asset = load(name);
  if (asset === undefined) throw new Error(`The console has no file ${name}.`);
  return `/console/assets/${name}?v=${asset.hash}`;
}

export const serveAsset: RequestHandler = (request, response, next) => {
  const asset = load(String(request.params['name']));
  if (asset === undefined) return next();
  const isForGood = request.query['v'] === asset.hash;
  response.set('content-type', asset.type).set('vary', 'accept-encoding');
  response.set('cache-control', isForGood ? 'public, max-age=31536000, immutable' : 'no-cache');
  const isPacked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (isPacked) response.set('content-encoding', 'gzip');
  response.end(isPacked ? asset.packed : asset.bytes);
};
