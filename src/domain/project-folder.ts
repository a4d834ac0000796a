/** Where package.json, docs, mappings and sandbox stand: the same way from src/domain, dist/domain and dist/one-file. */
import { resolve } from 'node:path';

export const PROJECT_FOLDER = resolve(__dirname, '..', '..');
