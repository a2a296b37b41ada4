import { z } from 'zod';
import type { AgentPrincipal } from '../../caller/principal.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import { readScript, runScript } from '../../platform/redis/redis-script.ts';
import { listensKey, RESOURCES_PER_CREDENTIAL, sessionKey, watchesKey } from './redis-keys.ts';

export interface ListenSlot {
  /** Number of resources that the stream may watch, at most as many as requested. */
  resources: number;
  leave(): void;
}

const LISTENS_PER_CREDENTIAL = 100;
const LISTEN = readScript(new URL('listen.lua', import.meta.url));
const RENEW_MS = 15_000;
const EXPIRE_MS = 45_000;

const ListenReply = z.union([z.literal('full').transform(() => null), z.coerce.number()]);

/**
 * Limits a credential's open listen streams and watched resources across all instances.
 * Subscriptions of 2025 sessions count too: the limit is per credential.
 */
export function createListenSlots(redis: RedisLink, log: Log) {
  const local = createLocalCount();
  const logDebug = (error: unknown) =>
    log.debug({ err: error }, 'could not count a listen stream in Redis');

  const count = (caller: AgentPrincipal, id: string, resources: number, isRenewal: boolean) =>
    runScript(
      redis.commands,
      LISTEN,
      [listensKey(caller), watchesKey(caller)].map((key) => redis.prefix + key),
      [
        ...[id, resources, isRenewal ? '1' : '', EXPIRE_MS, LISTENS_PER_CREDENTIAL],
        ...[RESOURCES_PER_CREDENTIAL, redis.prefix + sessionKey(caller, '')],
      ],
    );

  return {
    /** Returns null if the credential has too many streams. */
    async take(caller: AgentPrincipal, requested: number): Promise<ListenSlot | null> {
      const used = local.get(caller);
      if (used.streams >= LISTENS_PER_CREDENTIAL) return null;
      const id = newId();
      const limit = Math.min(requested, RESOURCES_PER_CREDENTIAL - used.resources);
      local.add(caller, { streams: 1, resources: limit });
      // The 2026 version works without Redis; then, only this instance's count applies.
      const resources = await count(caller, id, limit, false)
        .then((answer) => ListenReply.parse(answer))
        .catch((error: unknown) => {
          logDebug(error);
          return limit;
        });
      if (resources === null) {
        local.add(caller, { streams: -1, resources: -limit });
        return null;
      }
      local.add(caller, { streams: 0, resources: resources - limit });
      const timer = setInterval(() => {
        count(caller, id, resources, true).catch(logDebug);
      }, RENEW_MS).unref();
      return {
        resources,
        leave() {
          clearInterval(timer);
          local.add(caller, { streams: -1, resources: -resources });
          const member = `${id} ${resources}`;
          redis.commands.zrem(redis.prefix + listensKey(caller), member).catch(logDebug);
        },
      };
    },
  };
}

interface Usage {
  streams: number;
  resources: number;
}

/** Creates the counts of this instance, by credential. */
function createLocalCount() {
  const counts = new Map<string, Usage>();
  const usageOf = (caller: AgentPrincipal): Usage =>
    counts.get(caller.credential.id) ?? { streams: 0, resources: 0 };
  return {
    get: usageOf,
    add(caller: AgentPrincipal, change: Usage): void {
      const { streams, resources } = usageOf(caller);
      const total = { streams: streams + change.streams, resources: resources + change.resources };
      if (total.streams > 0) counts.set(caller.credential.id, total);
      else counts.delete(caller.credential.id);
    },
  };
}
