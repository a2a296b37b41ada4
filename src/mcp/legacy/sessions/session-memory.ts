import { z } from 'zod';
import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { RedisLink } from '../../../platform/redis/redis.ts';
import {
  listensKey,
  RESOURCES_PER_CREDENTIAL,
  sessionKey,
  watchesKey,
} from '../../changes/redis-keys.ts';
import type { Session } from './session.ts';
import { SESSION_LIFETIME_SECONDS, STREAM_EXPIRY_MS } from './session.ts';
import { cancelledKey, createScriptRunner, seenKey } from './session-keys.ts';

export type WatchResult = 'gone' | 'full' | 'watched';

export interface NotifiedChange {
  name: string;
  number: number;
}

export interface ReviewResult {
  changes: readonly NotifiedChange[];
  /** Number of the session's last change, sent on this stream or another one. */
  last: number;
}

export interface Review {
  streamId: string;
  /** Set for the first review of a stream, with which the stream takes over the session. */
  isClaim: boolean;
  /** Also returns earlier changes that have a higher number; null: new changes only. */
  after: number | null;
  isChangedSinceInitialize: boolean;
  digests: ReadonlyMap<string, string>;
}

/** Prefix that distinguishes entries of resources from those of lists. */
export const RESOURCE_PREFIX = 'r:';

/**
 * Keeps further state of a session in Redis: notified changes, subscriptions, cancelled requests.
 */
export function createSessionMemory(redis: RedisLink) {
  const run = createScriptRunner(redis);
  const { commands, prefix } = redis;
  return {
    /** Returns the changes this stream must send; null if the session has ended. */
    async review(
      { key }: Session,
      { streamId, isClaim, after, isChangedSinceInitialize, digests }: Review,
    ): Promise<ReviewResult | null> {
      const answer = await run(
        'review',
        [key, seenKey(key)],
        [
          streamId,
          STREAM_EXPIRY_MS,
          SESSION_LIFETIME_SECONDS,
          isClaim ? 'claim' : 'hold',
          after ?? '',
          isChangedSinceInitialize ? '1' : '',
          ...[...digests].flat(),
        ],
      );
      const [state, last, ...changes] = z.array(z.string()).parse(answer);
      return state === 'gone' ? null : { changes: pairs(changes), last: Number(last) };
    },
    /** Cancels a request on the instance that runs it, now or as soon as that instance listens. */
    async cancel({ key }: Session, requestId: string | number) {
      const signal = JSON.stringify({ type: 'cancel', request_id: requestId });
      await run('cancel', [key, cancelledKey(key)], [JSON.stringify(requestId), signal]);
    },
    /** Returns the ids of recently cancelled requests, as JSON. */
    async listCancelled({ key }: Session): Promise<ReadonlySet<string>> {
      return new Set(await commands.lrange(prefix + cancelledKey(key), 0, -1));
    },
    async watch(
      { id, key }: Session,
      caller: AgentPrincipal,
      uri: string,
      version: string,
    ): Promise<WatchResult> {
      const keys = [key, seenKey(key), watchesKey(caller), listensKey(caller)];
      const sessionPrefix = prefix + sessionKey(caller, '');
      const values = [id, RESOURCE_PREFIX + uri, version, SESSION_LIFETIME_SECONDS];
      const answer = await run('watch', keys, [...values, RESOURCES_PER_CREDENTIAL, sessionPrefix]);
      return z.enum(['gone', 'full', 'watched']).parse(answer);
    },
    async unwatch({ id, key }: Session, caller: AgentPrincipal, uri: string) {
      await Promise.all([
        commands.hdel(prefix + seenKey(key), RESOURCE_PREFIX + uri),
        commands.srem(prefix + watchesKey(caller), `${id} ${RESOURCE_PREFIX}${uri}`),
      ]);
    },
    /** Returns the URIs the session is subscribed to. */
    async listWatched({ key }: Session) {
      const names = await commands.hkeys(prefix + seenKey(key));
      return names
        .filter((name) => name.startsWith(RESOURCE_PREFIX))
        .map((name) => name.slice(RESOURCE_PREFIX.length));
    },
  };
}
export type SessionMemory = ReturnType<typeof createSessionMemory>;

function pairs(flat: readonly string[]): NotifiedChange[] {
  const changes: NotifiedChange[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2)
    changes.push({ name: flat[index]!, number: Number(flat[index + 1]) });
  return changes;
}
