import type { RedisLink } from '../../../platform/redis/redis.ts';
import { runScript } from '../../../platform/redis/redis-script.ts';
import { scripts } from './scripts.ts';
import type { ScriptName } from './scripts.ts';

export const streamsKey = (key: string) => `${key}:streams`;
export const seenKey = (key: string) => `${key}:seen`;
export const cancelledKey = (key: string) => `${key}:cancelled`;

export type RunScript = (
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<unknown>;

export const createScriptRunner =
  (redis: RedisLink): RunScript =>
  (name, keys, values) =>
    runScript(
      redis.commands,
      scripts[name],
      keys.map((key) => redis.prefix + key),
      values,
    );
