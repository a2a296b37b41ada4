import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { credentialId } from '../../caller/caller.ts';
import type { KeyCaller } from '../../caller/caller.ts';
import type { RedisLink } from '../../platform/redis.ts';
import { runScript } from './scripts.ts';
import type { ScriptName } from './scripts.ts';
import { clientOf, legacyVersions, revisionsOf, SESSION_LIFETIME_SECONDS } from './session.ts';
import type { LegacyVersion, Session, SessionFault } from './session.ts';

export type Found = { session: Session } | { fault: SessionFault };

/** Sessions in Redis, where any instance finds them. Each method is one script, one round trip. */
export interface Sessions {
  create(caller: KeyCaller, version: LegacyVersion, init: string): Promise<string>;
  /** Checks credential and version, slides the lifetime. Redis away is the fault `unknown`. */
  use(caller: KeyCaller, id: string, version: string | null): Promise<Found>;
  end(caller: KeyCaller, id: string, version: string | null): Promise<'live' | SessionFault>;
  /** Counts a stream in; an exchange gets its number. */
  join(
    caller: KeyCaller,
    id: string,
    stream: { id: string; version: string | null; isExchange: boolean },
  ): Promise<{ session: Session; number: number } | { fault: SessionFault | 'full' }>;
  keep(session: Session, streamId: string, mayHold: boolean): Promise<'gone' | 'kept' | 'held'>;
  leave(session: Session, streamId: string): Promise<void>;
  /** What this stream has to tell of: names with their event numbers; null when it must end. */
  review(session: Session, review: Review): Promise<readonly Told[] | null>;
  /** Tells whichever instance runs the request, now or as soon as it listens. */
  cancel(session: Session, requestId: string | number): Promise<void>;
  /** Ids of requests lately cancelled, as JSON. */
  cancelled(session: Session): Promise<ReadonlySet<string>>;
  /** What to call a session before it is known to exist. */
  keyOf(caller: KeyCaller, id: string): string;
  watch(session: Session, caller: KeyCaller, uri: string, version: string): Promise<Watched>;
  unwatch(session: Session, caller: KeyCaller, uri: string): Promise<void>;
  /** URIs a session subscribed to. */
  watched(session: Session): Promise<string[]>;
}

export type Watched = 'gone' | 'full' | 'watched';

export interface Told {
  name: string;
  number: number;
}

export interface Review {
  streamId: string;
  /** The newest stream takes the session over and hears everything after this number. */
  claimAfter: number | null;
  isMovedSinceInitialize: boolean;
  digests: ReadonlyMap<string, string>;
}

const SESSIONS_PER_CREDENTIAL = 20;
const STREAMS_PER_SESSION = 5;
const RESOURCES_PER_CREDENTIAL = 200;
/** Three keep-alives missed: the instance of that stream is gone. */
export const STREAM_VOID_MS = 45_000;
// 192 random bits as base64url; nothing else is an id of ours.
const SESSION_ID = /^[A-Za-z0-9_-]{32}$/;

const State = z.enum(['live', 'gone', 'version_mismatch', 'full']);
const Answer = z.tuple([State]).rest(z.string());

export function createSessions(redis: RedisLink): Sessions {
  const ownerKey = (caller: KeyCaller) => `mcp:{${caller.owner.kind}:${caller.owner.id}}`;
  const keyOf = (caller: KeyCaller, id: string) => `${ownerKey(caller)}:s:${id}`;
  const indexOf = (caller: KeyCaller) => `${ownerKey(caller)}:c:${credentialId(caller)}`;
  const watchesOf = (caller: KeyCaller) => `${ownerKey(caller)}:w:${credentialId(caller)}`;
  const run = (name: ScriptName, keys: string[], values: (string | number)[]) =>
    runScript(
      redis.commands,
      name,
      keys.map((key) => redis.prefix + key),
      values,
    );
  const lifetime = SESSION_LIFETIME_SECONDS;

  function readSession(caller: KeyCaller, id: string, answer: string[]): Session {
    const [version = '', init = 'null', revisions = ''] = answer;
    return {
      id,
      key: keyOf(caller, id),
      credential: credentialId(caller),
      version: z.enum(legacyVersions).parse(version),
      client: clientOf(JSON.parse(init)),
      revisions,
    };
  }

  return {
    keyOf,
    async create(caller, version, init) {
      const id = randomBytes(24).toString('base64url');
      const credential = credentialId(caller);
      const values = [id, credential, version, init, revisionsOf(caller), lifetime];
      const prefix = redis.prefix + keyOf(caller, '');
      const keys = [keyOf(caller, id), indexOf(caller)];
      await run('create', keys, [...values, SESSIONS_PER_CREDENTIAL, prefix]);
      return id;
    },
    async use(caller, id, version) {
      if (!SESSION_ID.test(id)) return { fault: 'gone' };
      const values = [credentialId(caller), version ?? '', lifetime];
      const answer = await orAway(run('use', [keyOf(caller, id)], values));
      if (answer === null) return { fault: 'unknown' };
      const [state, ...rest] = Answer.parse(answer);
      if (state === 'live') return { session: readSession(caller, id, rest) };
      return { fault: state === 'version_mismatch' ? state : 'gone' };
    },
    async end(caller, id, version) {
      if (!SESSION_ID.test(id)) return 'gone';
      const values = [id, credentialId(caller), version ?? ''];
      const answer = await orAway(run('end', [keyOf(caller, id), indexOf(caller)], values));
      return answer === null
        ? 'unknown'
        : z.enum(['live', 'gone', 'version_mismatch']).parse(answer);
    },
    async join(caller, id, stream) {
      if (!SESSION_ID.test(id)) return { fault: 'gone' };
      const key = keyOf(caller, id);
      const values = [credentialId(caller), stream.version ?? '', lifetime, stream.id];
      const limits = [STREAMS_PER_SESSION, STREAM_VOID_MS, stream.isExchange ? '1' : ''];
      const answer = await orAway(run('join', [key, `${key}:streams`], [...values, ...limits]));
      if (answer === null) return { fault: 'unknown' };
      const [state, ...rest] = Answer.parse(answer);
      if (state !== 'live') return { fault: state };
      return { session: readSession(caller, id, rest), number: Number(rest[3]) };
    },
    async keep({ key, credential }, streamId, mayHold) {
      const keys = [key, `${key}:streams`, `${key}:seen`];
      const values = [credential, lifetime, streamId, STREAM_VOID_MS, mayHold ? '1' : ''];
      return z.enum(['gone', 'kept', 'held']).parse(await run('keep', keys, values));
    },
    async leave({ key }, streamId) {
      await run('leave', [key, `${key}:streams`], [streamId]);
    },
    async review({ key }, { streamId, claimAfter, isMovedSinceInitialize, digests }) {
      const answer = await run(
        'review',
        [key, `${key}:seen`],
        [
          streamId,
          STREAM_VOID_MS,
          lifetime,
          claimAfter === null ? 'hold' : 'claim',
          claimAfter ?? 0,
          isMovedSinceInitialize ? '1' : '',
          ...[...digests].flat(),
        ],
      );
      const [state, ...told] = z.array(z.string()).parse(answer);
      return state === 'gone' ? null : pairs(told);
    },
    async cancel({ key }, requestId) {
      const signal = JSON.stringify({ type: 'cancel', request_id: requestId });
      await run('cancel', [key, `${key}:cancelled`], [JSON.stringify(requestId), signal]);
    },
    async cancelled({ key }) {
      return new Set(await redis.commands.lrange(`${redis.prefix}${key}:cancelled`, 0, -1));
    },
    async watch({ id, key }, caller, uri, version) {
      const keys = [key, `${key}:seen`, watchesOf(caller)];
      const prefix = redis.prefix + keyOf(caller, '');
      const values = [id, `r:${uri}`, version, lifetime, RESOURCES_PER_CREDENTIAL, prefix];
      return z.enum(['gone', 'full', 'watched']).parse(await run('watch', keys, values));
    },
    async unwatch({ id, key }, caller, uri) {
      await Promise.all([
        redis.commands.hdel(`${redis.prefix}${key}:seen`, `r:${uri}`),
        redis.commands.srem(redis.prefix + watchesOf(caller), `${id} r:${uri}`),
      ]);
    },
    async watched({ key }) {
      const names = await redis.commands.hkeys(`${redis.prefix}${key}:seen`);
      return names.filter((name) => name.startsWith('r:')).map((name) => name.slice(2));
    },
  };
}

/** The state of a session cannot be told without Redis; null says so. */
const orAway = (answer: Promise<unknown>): Promise<unknown> => answer.catch(() => null);

function pairs(flat: readonly string[]): Told[] {
  const told: Told[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2)
    told.push({ name: flat[at]!, number: Number(flat[at + 1]) });
  return told;
}
