// The gateway exactly as it is served in production.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { serve } from '../../../src/main.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';

const service = await serve(loadConfig(process.env, (path) => readFileSync(path, 'utf8')));
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
console.log('ready');
