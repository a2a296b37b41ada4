import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisCommands } from './redis.ts';
import { requireAnswer, Unanswered } from '../errors/unanswered.ts';
import { within } from '../concurrency/within.ts';

/** A Lua script: one step for Redis, one round trip for us. */
export interface RedisScript {
  source: string;
  sha: string;
}

/** The files as one script, in their order. */
export function readScript(...files: readonly URL[]): RedisScript {
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

// A cluster without slots, or a Cluster's stalled pipeline, has no deadline of the driver's own.
const DEADLINE_MS = 300;

/** Runs it by its digest, in one round trip once the server knows it. */
export const runScript = (...asked: Parameters<typeof evaluate>): Promise<unknown> =>
  requireAnswer(within(evaluate(...asked), DEADLINE_MS, tooLate));

const tooLate = () => new Unanswered('Redis did not answer in time');

async function evaluate(
  commands: RedisCommands,
  { source, sha }: RedisScript,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await commands.evalsha(sha, keys.length, ...keys, ...values);
  } catch (error) {
    // The one error that says for certain that nothing ran: this server does not know it yet.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return commands.eval(source, keys.length, ...keys, ...values);
  }
}
