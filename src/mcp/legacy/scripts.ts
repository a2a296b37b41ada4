import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCommands } from '../../platform/redis.ts';

const names = [
  'cancel',
  'create',
  'end',
  'join',
  'keep',
  'leave',
  'listen',
  'review',
  'use',
  'watch',
] as const;
export type ScriptName = (typeof names)[number];

const scripts = new Map(
  names.map((name) => {
    const source = readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');
    return [name, { source, sha: createHash('sha1').update(source).digest('hex') }] as const;
  }),
);

// A cluster without slots, or a stalled pipeline, has no deadline of the driver's own.
const DEADLINE_MS = 300;

/** Runs one script by its digest, in one round trip once the server knows it. */
export async function runScript(...[commands, name, keys, values]: Parameters<typeof evaluate>) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer in time')), DEADLINE_MS);
  });
  try {
    return await Promise.race([evaluate(commands, name, keys, values), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function evaluate(
  commands: RedisCommands,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  const script = scripts.get(name)!;
  try {
    return await commands.evalsha(script.sha, keys.length, ...keys, ...values);
  } catch (error) {
    // The one error that says for certain that nothing ran: this server does not know it yet.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return commands.eval(script.source, keys.length, ...keys, ...values);
  }
}
