import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { isDashboardBuilt } from '../../gateway/pages/dashboard.ts';
import { ConfigError } from '../../platform/config/config.ts';
import type { Config } from '../../platform/config/config.ts';
import { isOnLoopback } from '../../platform/http/own-host.ts';
import { failure, messageOf, ok, warning } from './finding.ts';
import type { Checks, Result } from './finding.ts';
import { isGuessable } from './guessable.ts';

const NODE_MAJOR = 24;

/** Returns the checks that need no valid configuration. */
export const settingChecks = (config: Config | Error): Checks => ({
  node: checkNode,
  settings: () => checkSettings(config),
});

/** Returns the checks of valid settings, and of the files that they name. */
export const configurationChecks = (config: Config): Checks => ({
  secrets_key: () => checkSecretsKey(config),
  data_folder: () => checkDataFolder(config.DATA_DIR),
  dashboard: checkDashboard,
  mail_from: () => checkMailFrom(config),
});

function checkNode(): Result {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= NODE_MAJOR
    ? ok(`Node ${node}`)
    : failure(`Node ${node} is too old.`, `Install Node ${NODE_MAJOR}, or run npx toolgate.`);
}

function checkSettings(config: Config | Error): Result {
  if (!(config instanceof Error)) return ok('All settings are valid.');
  const remedy =
    config instanceof ConfigError
      ? 'Correct the environment; .env.example lists all settings.'
      : 'The settings could not be read: correct the file, or set all of them in the environment.';
  return failure(messageOf(config), remedy);
}

function checkSecretsKey({ SECRETS_KEY, SECRETS_KEY_FALLBACKS }: Config): Result {
  if (isGuessable(SECRETS_KEY))
    return failure(
      'SECRETS_KEY is not random: a person who guesses it can sign in as anyone.',
      'Generate one with `openssl rand -base64 32`, and rotate to it (docs/operations.md).',
    );
  if (SECRETS_KEY_FALLBACKS.length > 0)
    return warning(
      'SECRETS_KEY_FALLBACKS is set, so old keys are still accepted.',
      'Finish the rotation: `npx toolgate rotate-secrets`, and remove them after 30 days.',
    );
  return ok('SECRETS_KEY is random.');
}

/** Files of a local start that hold secrets. */
const SECRET_FILE = /key|password|secret|settings|token/;

function checkDataFolder(folder: string): Result {
  const path = resolve(folder);
  if (!existsSync(path)) return ok(`${path} does not exist; only a local start uses it.`);
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failure(
      `This user cannot write to ${path}.`,
      'Make the user of the gateway its owner, or set DATA_DIR to another folder.',
    );
  }
  const open = readdirSync(path).filter(
    (name) => SECRET_FILE.test(name) && isOpenFile(join(path, name)),
  );
  return open.length === 0
    ? ok(`${path} is writable, and others cannot read its secrets.`)
    : failure(`Other users can read ${open.join(', ')} in ${path}.`, `chmod 600 those files.`);
}

function isOpenFile(path: string): boolean {
  const file = statSync(path);
  return file.isFile() && (file.mode & 0o077) !== 0;
}

const checkDashboard = (): Result =>
  isDashboardBuilt()
    ? ok('The dashboard is built.')
    : warning(
        'The dashboard is not built, so that its address shows a page without it.',
        'Run: npm run build',
      );

function checkMailFrom({ MAIL_FROM, PUBLIC_URL }: Config): Result {
  const isLocal = /@localhost>?$/.test(MAIL_FROM);
  return isLocal && !isOnLoopback(PUBLIC_URL)
    ? warning(
        `MAIL_FROM is ${MAIL_FROM}: mail servers reject that sender.`,
        'Set MAIL_FROM to an address of your domain.',
      )
    : ok(`E-mails come from ${MAIL_FROM}.`);
}
