// Writes the set from standard input into the folder that its argument names. The test kills this process at any instant.
import { readFileSync } from 'node:fs';
import { changeFolder, type NamedText } from '../../src/mapping/folder-change';

process.stdout.write('ready\n');
changeFolder(process.argv[2]!, JSON.parse(readFileSync(0, 'utf8')) as NamedText[]);
