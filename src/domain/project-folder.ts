/** The folder with package.json, docs, mappings and sandbox. The relative path is the same from src/domain, dist/domain and dist/one-file. */
import { resolve } from 'node:path';

export const PROJECT_FOLDER = resolve(__dirname, '..', '..');
