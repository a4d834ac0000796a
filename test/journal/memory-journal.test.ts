import { createMemoryJournal } from '../../src/journal/memory-journal';
import { journalSuite } from './journal-suite';

journalSuite('memory journal', async () => createMemoryJournal());
