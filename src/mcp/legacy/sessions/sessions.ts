import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { RedisLink } from '../../../platform/redis/redis.ts';
import { sessionKey, sessionsKey } from '../../changes/redis-keys.ts';
import { revisionsOf } from '../../changes/watch.ts';
import { clientOf, legacyVersions, SESSION_LIFETIME_SECONDS, STREAM_EXPIRY_MS } from './session.ts';
import type { LegacyVersion, Session, SessionFault } from './session.ts';
import { createScriptRunner, seenKey, streamsKey } from './session-keys.ts';
import { createSessionMemory } from './session-memory.ts';
import type { SessionMemory } from './session-memory.ts';

export type SessionLookup = { session: Session } | { fault: SessionFault };

/** Sessions in Redis, shared by all instances. Each method takes one round trip. */
export interface Sessions extends SessionMemory {
  /** Returns the session's id; null if Redis is unavailable. */
  create(caller: AgentPrincipal, version: LegacyVersion, init: string): Promise<string | null>;
  /** Checks credential and version, and extends the lifetime. `unknown`: Redis is unavailable. */
  use(caller: AgentPrincipal, id: string, version: string | null): Promise<SessionLookup>;
  end(caller: AgentPrincipal, id: string, version: string | null): Promise<'live' | SessionFault>;
  /** Adds an open stream to the session; assigns a number to an exchange. */
  join(
    caller: AgentPrincipal,
    id: string,
    stream: { id: string; version: string | null; isExchange: boolean },
  ): Promise<{ session: Session; number: number } | { fault: SessionFault | 'full' }>;
  /**
   * Renews an open stream. `taken_over`: the stream took over the session from one that closed or
   * expired.
   */
  renew(
    session: Session,
    streamId: string,
    mayHold: boolean,
  ): Promise<'gone' | 'renewed' | 'taken_over'>;
  leave(session: Session, streamId: string): Promise<void>;
}

const SESSIONS_PER_CREDENTIAL = 20;
const STREAMS_PER_SESSION = 5;
// 192 random bits as base64url; nothing else can be a session id.
const SESSION_ID = /^[A-Za-z0-9_-]{32}$/;

const ScriptReply = z
  .tuple([z.enum(['live', 'gone', 'version_mismatch', 'full'])])
  .rest(z.string());
const EndReply = z.enum(['live', 'gone', 'version_mismatch']);
const RenewReply = z.enum(['gone', 'renewed', 'taken_over']);

export function createSessions(redis: RedisLink, log: Log): Sessions {
  const run = createScriptRunner(redis);
  const lifetime = SESSION_LIFETIME_SECONDS;
  const logUnavailable = (error: unknown) => {
    log.warn({ err: error }, 'session lookup failed');
    return null;
  };
  /** Retries once, so `request` must be idempotent; returns null if Redis is unavailable. */
  const retryOnce = (request: () => Promise<unknown>): Promise<unknown> =>
    request().catch(request).catch(logUnavailable);
  return {
    ...createSessionMemory(redis),
    async create(caller, version, init) {
      const id = randomBytes(24).toString('base64url');
      const values = [id, caller.credential.id, version, init, revisionsOf(caller), lifetime];
      const prefix = redis.prefix + sessionKey(caller, '');
      const keys = [sessionKey(caller, id), sessionsKey(caller)];
      const created = run('create', keys, [...values, SESSIONS_PER_CREDENTIAL, prefix]);
      return created.then(() => id, logUnavailable);
    },
    async use(caller, id, version) {
      if (!SESSION_ID.test(id)) return { fault: 'gone' };
      const values = [caller.credential.id, version ?? '', lifetime];
      const answer = await retryOnce(() => run('use', [sessionKey(caller, id)], values));
      if (answer === null) return { fault: 'unknown' };
      const [state, ...rest] = ScriptReply.parse(answer);
      if (state === 'live') return { session: readSession(caller, id, rest) };
      return { fault: state === 'version_mismatch' ? state : 'gone' };
    },
    async end(caller, id, version) {
      if (!SESSION_ID.test(id)) return 'gone';
      const keys = [sessionKey(caller, id), sessionsKey(caller)];
      const answer = await run('end', keys, [id, caller.credential.id, version ?? '']).catch(
        logUnavailable,
      );
      return answer === null ? 'unknown' : EndReply.parse(answer);
    },
    async join(caller, id, stream) {
      if (!SESSION_ID.test(id)) return { fault: 'gone' };
      const key = sessionKey(caller, id);
      const values = [caller.credential.id, stream.version ?? '', lifetime, stream.id];
      const limits = [STREAMS_PER_SESSION, STREAM_EXPIRY_MS, stream.isExchange ? '1' : ''];
      const answer = await retryOnce(() =>
        run('join', [key, streamsKey(key)], [...values, ...limits]),
      );
      if (answer === null) return { fault: 'unknown' };
      const [state, ...rest] = ScriptReply.parse(answer);
      if (state !== 'live') return { fault: state };
      return { session: readSession(caller, id, rest), number: Number(rest[3]) };
    },
    async renew({ key, credential }, streamId, mayHold) {
      const values = [credential, lifetime, streamId, STREAM_EXPIRY_MS, mayHold ? '1' : ''];
      return RenewReply.parse(await run('renew', [key, streamsKey(key), seenKey(key)], values));
    },
    async leave({ key }, streamId) {
      await run('leave', [key, streamsKey(key)], [streamId]);
    },
  };
}

function readSession(caller: AgentPrincipal, id: string, answer: string[]): Session {
  const [version = '', init = 'null', revisions = ''] = answer;
  return {
    id,
    key: sessionKey(caller, id),
    credential: caller.credential.id,
    version: z.enum(legacyVersions).parse(version),
    client: clientOf(JSON.parse(init)),
    revisions,
  };
}
