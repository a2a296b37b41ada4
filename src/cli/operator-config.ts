import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { loadConfig } from '../platform/config.ts';
import type { Config } from '../platform/config.ts';

/** Where a local start leaves the settings it filled in, for commands run beside it. */
export const SETTINGS_FILE = 'service-settings.json';

/** The environment's settings; beside a local start those it runs with. */
export function loadOperatorConfig(): Config {
  const file = join(process.env['DATA_DIR'] || '.data', SETTINGS_FILE);
  const local =
    process.env['DATABASE_URL'] || !existsSync(file)
      ? {}
      : (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
  return loadConfig({ ...local, ...process.env }, (path) => readFileSync(path, 'utf8'));
}
