import { readScript } from '../../../platform/redis/redis-script.ts';
import type { RedisScript } from '../../../platform/redis/redis-script.ts';

const names = [
  'cancel',
  'create',
  'end',
  'join',
  'renew',
  'leave',
  'review',
  'use',
  'watch',
] as const;
export type ScriptName = (typeof names)[number];

/** Lua scripts of sessions by name. */
export const scripts = Object.fromEntries(
  names.map((name) => [name, readScript(new URL(`${name}.lua`, import.meta.url))]),
) as Record<ScriptName, RedisScript>;
