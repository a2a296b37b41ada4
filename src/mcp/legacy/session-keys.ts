import { credentialId } from '../../caller/caller.ts';
import type { KeyCaller } from '../../caller/caller.ts';
import type { RedisLink } from '../../platform/redis.ts';
import { runScript } from '../../platform/redis-script.ts';
import { scripts } from './scripts.ts';
import type { ScriptName } from './scripts.ts';

/** Names in Redis, before the prefix of all keys; an owner's share one slot of a cluster. */
const ownerKey = (caller: KeyCaller) => `mcp:{${caller.owner.kind}:${caller.owner.id}}`;
export const sessionKey = (caller: KeyCaller, id: string) => `${ownerKey(caller)}:s:${id}`;
/** The sessions of a credential. */
export const sessionsKey = (caller: KeyCaller) => `${ownerKey(caller)}:c:${credentialId(caller)}`;
/** The `subscriptions/listen` a credential has open, each with how many resources it watches. */
export const listensKey = (caller: KeyCaller) => `${ownerKey(caller)}:l:${credentialId(caller)}`;
/** What a credential subscribed to, in all its sessions. */
export const watchesKey = (caller: KeyCaller) => `${ownerKey(caller)}:w:${credentialId(caller)}`;

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
