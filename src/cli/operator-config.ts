import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { loadConfig } from '../platform/config/config.ts';
import type { Config } from '../platform/config/config.ts';

/** File in which a local start saves the settings it filled in, for commands run alongside it. */
export const SETTINGS_FILE = 'service-settings.json';

/** Loads the environment's settings, completed by those of a local start on the same database. */
export function loadOperatorConfig(): Config {
  const file = join(process.env['DATA_DIR'] || '.data', SETTINGS_FILE);
  const local: Record<string, string> = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : {};
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const database = set['DATABASE_URL'] ?? local['DATABASE_URL'];
  const settings = database === local['DATABASE_URL'] ? { ...local, ...set } : set;
  return loadConfig(settings, (path) => readFileSync(path, 'utf8'));
}
