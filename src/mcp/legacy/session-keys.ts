import type { AgentPrincipal } from '../../caller/principal.ts';
import type { RedisLink } from '../../platform/redis.ts';
import { runScript } from '../../platform/redis-script.ts';
import { scripts } from './scripts.ts';
import type { ScriptName } from './scripts.ts';

/** Names in Redis, before the prefix of all keys; an owner's share one slot of a cluster. */
const ownerKey = (caller: AgentPrincipal) =>
  `mcp:{${caller.quota_owner.kind}:${caller.quota_owner.id}}`;
export const sessionKey = (caller: AgentPrincipal, id: string) => `${ownerKey(caller)}:s:${id}`;
/** The sessions of a credential. */
export const sessionsKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:c:${caller.credential.id}`;
/** The `subscriptions/listen` a credential has open, each with how many resources it watches. */
export const listensKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:l:${caller.credential.id}`;
/** What a credential subscribed to, in all its sessions. */
export const watchesKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:w:${caller.credential.id}`;

export const streamsKey = (key: string) => `${key}:streams`;
export const seenKey = (key: string) => `${key}:seen`;
export const cancelledKey = (key: string) => `${key}:cancelled`;

export type Run = (
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<unknown>;

export const createRun =
  (redis: RedisLink): Run =>
  (name, keys, values) =>
    runScript(
      redis.commands,
      scripts[name],
      keys.map((key) => redis.prefix + key),
      values,
    );
