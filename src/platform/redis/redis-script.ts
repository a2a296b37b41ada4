import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCommands } from './redis.ts';
import { requireResponse, NoResponse } from '../errors/unanswered.ts';
import { withTimeout } from '../concurrency/within.ts';

/** A Lua script: atomic in Redis, and a single round trip. */
export interface RedisScript {
  source: string;
  sha: string;
}

/** Concatenates the files, in order, into one script. */
export function readScript(...files: readonly URL[]): RedisScript {
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

// The driver has no timeout for a cluster without slots or a stalled Cluster pipeline.
const DEADLINE_MS = 300;

/** Runs a script by EVALSHA; falls back to EVAL if the server has not cached it. */
export const runScript = (...args: Parameters<typeof evaluate>): Promise<unknown> =>
  requireResponse(withTimeout(evaluate(...args), DEADLINE_MS, timeoutError));

const timeoutError = () => new NoResponse('Redis command timed out');

async function evaluate(
  commands: RedisCommands,
  { source, sha }: RedisScript,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await commands.evalsha(sha, keys.length, ...keys, ...values);
  } catch (error) {
    // The only error that guarantees that nothing ran: the script is not cached.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return commands.eval(source, keys.length, ...keys, ...values);
  }
}
