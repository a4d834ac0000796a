import { createMemoryStore } from '../../src/traffic/memory-store';
import { NOW, ROOM, testTrafficStore } from './store-suite';

testTrafficStore(async () => createMemoryStore(NOW, ROOM));
