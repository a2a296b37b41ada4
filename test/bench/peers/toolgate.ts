// The gateway as it is served, with a catalog of tools that do nothing.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createService } from '../../../src/service.ts';
import { printMemoryAtSignals } from './memory-signals.ts';
import { noopTool } from './noop.ts';

const catalog = createCatalog(Array.from({ length: 1_000 }, (_, index) => noopTool(index)));
const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
const service = await createService(config, { catalog });
await service.listen();
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
printMemoryAtSignals();
console.log('ready');
