import { credentialId } from '../caller/caller.ts';
import type { KeyCaller } from '../caller/caller.ts';
import type { Log } from '../platform/log.ts';
import type { RedisLink } from '../platform/redis.ts';

/** How many listen streams a credential has open, over all instances. */
export interface ListenCount {
  /** False: one too many. */
  join(caller: KeyCaller, streamId: string): Promise<boolean>;
  keep(caller: KeyCaller, streamId: string): void;
  leave(caller: KeyCaller, streamId: string): void;
  /** How often a place must be kept. */
  keepMs: number;
}

const LISTENS_PER_CREDENTIAL = 100;
const KEEP_MS = 15_000;
const VOID_MS = 45_000;

export function createListenCount(redis: RedisLink, log: Log): ListenCount {
  const here = new Map<string, number>();
  const quiet = (error: unknown) => log.debug({ err: error }, 'a listen stream was not counted');
  const keyOf = (caller: KeyCaller) =>
    `${redis.prefix}mcp:{${caller.owner.kind}:${caller.owner.id}}:l:${credentialId(caller)}`;

  async function mark(caller: KeyCaller, streamId: string): Promise<void> {
    const key = keyOf(caller);
    const { commands } = redis;
    await Promise.all([
      commands.zadd(key, Date.now() + VOID_MS, streamId),
      commands.pexpire(key, VOID_MS),
    ]);
  }

  function change(caller: KeyCaller, by: number): number {
    const id = credentialId(caller);
    const now = (here.get(id) ?? 0) + by;
    if (now > 0) here.set(id, now);
    else here.delete(id);
    return now;
  }

  return {
    keepMs: KEEP_MS,
    async join(caller, streamId) {
      if (change(caller, 1) > LISTENS_PER_CREDENTIAL) {
        change(caller, -1);
        return false;
      }
      try {
        const key = keyOf(caller);
        await redis.commands.zremrangebyscore(key, '-inf', Date.now());
        await mark(caller, streamId);
        if ((await redis.commands.zcard(key)) <= LISTENS_PER_CREDENTIAL) return true;
        await redis.commands.zrem(key, streamId);
        change(caller, -1);
        return false;
      } catch (error) {
        // This era goes on without Redis: what is counted here is the bound then.
        quiet(error);
        return true;
      }
    },
    keep: (caller, streamId) => void mark(caller, streamId).catch(quiet),
    leave(caller, streamId) {
      change(caller, -1);
      redis.commands.zrem(keyOf(caller), streamId).catch(quiet);
    },
  };
}
