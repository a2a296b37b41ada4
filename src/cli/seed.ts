import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import process from 'node:process';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { DemoRefused } from '../seed/demo/demo.ts';
import { demoLinks } from '../seed/demo/schema.ts';
import type { DemoLink, LoadedDemo } from '../seed/demo/schema.ts';
import { SeedRefused } from '../seed/seed.ts';
import type { PlacedProblem, Secret, Seed, Written } from '../seed/seed.ts';
import { createService } from '../service.ts';
import type { Seeding } from '../seeding.ts';
import { loadOperatorConfig } from './operator-config.ts';

interface Flags {
  dryRun?: true;
  secretsOut?: string;
}

/** Adds the operator command `seed`. Like `account`, it works on the servers directly. */
export function addSeedCommand(program: Command): void {
  const seed = program
    .command('seed')
    .usage('<file> [options] | demo [--remove]')
    .description('Create people, organizations, content and keys from a file');
  seed
    .command('apply <file>', { isDefault: true })
    .description('Create what the YAML file describes and does not exist yet, by name')
    .option('--dry-run', 'only check the file')
    .option('--secrets-out <file>', 'write the new secrets to a new file that only you can read')
    .action(apply);
  seed
    .command('demo')
    .description('Load the demo: the organization Acme, with people, keys and 30 days of history')
    .option('--remove', 'remove it with all its people')
    .action(demo);
}

async function apply(file: string, { dryRun, secretsOut }: Flags): Promise<void> {
  const text = readText(file);
  await operate(async ({ seed }) => {
    try {
      if (dryRun) console.log(`${file} is fine: ${count(seed.check(text))}.`);
      else await write(seed, text, secretsOut);
    } catch (error) {
      if (!(error instanceof SeedRefused)) throw error;
      for (const problem of error.problems) console.error(lineOf(file, problem));
      console.error('Nothing was saved.');
      process.exitCode = 1;
    }
  });
}

async function operate(work: (seeding: Seeding) => Promise<void>): Promise<void> {
  const service = await createService({ ...loadOperatorConfig(), LOG_LEVEL: 'error' });
  try {
    await work(service.seeding);
  } finally {
    await service.close();
  }
}

const demo = ({ remove }: { remove?: true }): Promise<void> =>
  operate(async (seeding) => {
    if (remove) {
      const removed = await seeding.demo.remove();
      console.log(removed ? 'The demo is removed.' : 'There is no demo.');
      return;
    }
    const loaded = await seeding.demo.load().catch((error: unknown) => {
      throw error instanceof DemoRefused ? new OperatorError(error.message) : error;
    });
    console.log(describe(loaded));
  });

/** Returns what is shown once: passwords, a command that works, and pages to look at. */
function describe({ passwords, curl, links }: LoadedDemo): string {
  return [
    'The demo is loaded. Its passwords and its key are shown only now:',
    ...passwords.map(({ name, secret }) => `  ${name.padEnd(20)}${secret}`),
    `\nCall a tool:\n  ${curl}`,
    '\nLook at this, signed in as ada@acme.example:',
    ...demoLinks.map((link) => `  ${LINKS[link]}\n    ${links[link]}`),
    '\nRemove it with: npx toolgate seed demo --remove',
  ].join('\n');
}

const LINKS: Readonly<Record<DemoLink, string>> = {
  denial: 'Why can nightly-report not call web_fetch? Platform, its only team, excludes it.',
  admission: 'Why can ci-release? It is bound to Release too: one team that admits is enough.',
  policies: 'The policies of Platform: one of each mode.',
  members: 'What the members may do, and the role of Dora, who only audits.',
  audit: 'Who changed what in 30 days.',
};

async function write(seed: Seed, text: string, secretsOut: string | undefined) {
  // Opened first: secrets that cannot be stored must not be created.
  const output = secretsOut === undefined ? null : openNew(secretsOut);
  let isUsed = false;
  try {
    const written = await seed.apply(text);
    console.log(summaryOf(written));
    isUsed = written.secrets.length > 0;
    if (!isUsed) return;
    if (output !== null) writeSync(output, secretsText(written.secrets));
    else console.log(`\nShown only now:\n\n${secretsText(written.secrets)}`);
  } finally {
    if (output !== null) closeSync(output);
    // An empty file would stop the next attempt.
    if (secretsOut !== undefined && !isUsed) rmSync(secretsOut);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    throw new OperatorError(
      `${file} cannot be created, and must not exist yet: ${(error as Error).message}`,
    );
  }
}

/** Formats secrets as YAML, which people and programs read. */
const secretsText = (secrets: readonly Secret[]): string => stringify(secrets, { lineWidth: 0 });

const lineOf = (file: string, { line, column, path, message }: PlacedProblem): string =>
  `${file}:${line}:${column}: ${path === '' ? '' : `${path} `}${message}`;

const summaryOf = ({ created, existing }: Written): string =>
  `Created ${count(created.length)}; ${existing} existed.`;

const count = (entries: number) => `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
