/** Opens the journal of a folder as a user who owns none of its files, and prints why that fails; `environment.test` starts it. */
import { openTrees } from '../../../src/journal/lmdb/environment';

// By its relative path: the folders above are those of the user who started the test.
process.chdir(process.argv[2]!);
if (process.getuid?.() === 0) process.setuid!(65_534);
try {
  openTrees({ dir: '.', keyCheck: undefined });
} catch (error) {
  console.log((error as Error).message);
}
