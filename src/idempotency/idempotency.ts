import { createHmac, randomUUID } from 'node:crypto';
import type { Once, Save } from '../caller/once.ts';
import type { Principal } from '../caller/principal.ts';
import type { Reply, Route } from '../caller/route.ts';
import { createBackground } from '../platform/concurrency/background.ts';
import { conflict, limited, unprocessable } from '../platform/errors/refusal.ts';
import type { Refusal } from '../platform/errors/refusal.ts';
import { canonicalJson } from '../platform/json/canonical-json.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Queryable, Database } from '../platform/postgres/database.ts';
import { equalSecrets, hexHashOf } from '../platform/secrets.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createContentCodec } from './content.ts';
import type { Content } from './content.ts';
import {
  answerRequest,
  claimRequest,
  commitRequest,
  findRequest,
  MAX_KEPT,
  releaseRequest,
  secondsUntilRoom,
  sweepRequests,
} from './store.ts';
import type { Claim, RequestOwner, RequestRow } from './store.ts';

/** A request that creates something, after it was authorized. */
export interface CreatingRequest {
  /** The `Idempotency-Key`. */
  key: string;
  route: Pick<Route, 'operation_id' | 'shown_once'>;
  caller: Principal;
  params: unknown;
  /** The body as it was sent. */
  body: unknown;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
}

export interface IdempotencyDependencies {
  database: Pick<Database, 'pool'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt' | 'subkeys'>;
  log: Log;
}

/** What an earlier attempt committed; with its secrets if the same credential sent it. */
interface Earlier {
  content: Content;
  isOwn: boolean;
}

// A gateway that has not committed this long after the deadline of its request is taken for dead, and
// another attempt may take over. If it was only slow, its `save` fails and its transaction rolls back.
const GRACE_SECONDS = 2;

/** Makes creations repeatable (decisions/0044). */
export function createIdempotency({ database, secrets, log }: IdempotencyDependencies) {
  const { pool } = database;
  const codec = createContentCodec(secrets);
  const hashes = createBodyHashes(secrets);
  const sweep = createBackground(
    () => sweepRequests(pool),
    (error) =>
      log.warn({ err: error }, 'sweep of idempotent requests failed; next attempt in a minute'),
  );

  /** Claims the request, or returns what an earlier attempt committed; throws if it is running. */
  async function begin(claim: Claim, request: CreatingRequest): Promise<Earlier | null> {
    const seconds = Math.max(0, request.until - performance.now()) / 1_000 + GRACE_SECONDS;
    const body = canonicalJson(request.body ?? {});
    const credential = credentialOf(request.caller);
    const owned = { ...claim, ...ownerOf(request.caller) };
    const body_hash = hashes.of(body);
    if (await claimRequest(pool, { ...owned, credential, body_hash, seconds })) return null;
    const row = await findRequest(pool, claim.id);
    if (row === null) throw (await tooManyKept(pool, owned)) ?? stillRunning();
    if (!hashes.match(row.body_hash, body)) throw mismatch();
    if (!isCommitted(row)) throw stillRunning();
    const isOwn = row.credential === credential;
    return { isOwn, content: codec.decode(claim.id, isOwn ? row : { ...row, sealed: null }) };
  }

  /** Handles the request and stores its response. */
  async function answer(
    { id }: Claim,
    { route }: CreatingRequest,
    handle: () => Promise<Reply>,
  ): Promise<Reply> {
    const reply = await handle();
    const content = { ...reply, body: reply.body as Content['body'] };
    // What was created is stored already: a repeated request makes the response from that.
    await answerRequest(pool, id, codec.encode(id, content, route.shown_once ?? [])).catch(
      (error: unknown) => log.warn({ err: error }, 'the response to a creation was not stored'),
    );
    return reply;
  }

  return {
    /**
     * Handles a request so that repeating it creates nothing more: returns the first response
     * again, or throws 409 while that is not known, or 422 if the body is another one.
     */
    async run(request: CreatingRequest, handle: (once: Once) => Promise<Reply>) {
      const claim = { id: idOf(request), claim: randomUUID() };
      const earlier = await begin(claim, request);
      if (earlier !== null) {
        const { content, isOwn } = earlier;
        if (isReply(content)) return content;
        const repeat = () => handle(resumed(content));
        // The response to another credential lacks the secrets.
        return isOwn ? answer(claim, request, repeat) : repeat();
      }
      const { once, isSaved } = storing(codec, claim, request.route);
      try {
        return await answer(claim, request, async () => {
          const reply = await handle(once);
          if (!isSaved())
            throw new TypeError(`${request.route.operation_id} does not save what it creates.`);
          return reply;
        });
      } catch (error) {
        // Only if nothing was committed; this waits for a commit that got no response.
        await release(pool, claim, log);
        throw error;
      }
    },
    /** Starts deleting what has expired, once a minute. */
    start: sweep.start,
    stop: sweep.stop,
  };
}
export type Idempotency = ReturnType<typeof createIdempotency>;

/** Returns null if there is no row because another attempt has failed just now. */
async function tooManyKept(
  pool: Queryable,
  owned: { id: string } & RequestOwner,
): Promise<Refusal | null> {
  const retryAfterSeconds = await secondsUntilRoom(pool, owned);
  if (retryAfterSeconds === null) return null;
  return limited('rate_limited', TOO_MANY_KEPT, { retryAfterSeconds });
}

/** Returns a `once` that creates, and stores what it saved in the same transaction. */
function storing(
  codec: ReturnType<typeof createContentCodec>,
  claim: Claim,
  { shown_once = [] }: CreatingRequest['route'],
) {
  let isSaved = false;
  const once: Once = <Value extends object>(create: (save: Save<Value>) => Promise<Value>) =>
    create(async (transaction, value) => {
      const body = value as Content['body'];
      if (!(await commitRequest(transaction, claim, codec.encode(claim.id, { body }, shown_once))))
        throw stillRunning();
      isSaved = true;
      return value;
    });
  return { once, isSaved: () => isSaved };
}

/** Returns a `once` that creates nothing: an earlier attempt has. */
const resumed =
  ({ body }: Content): Once =>
  async <Value>() =>
    body as Value;

const isReply = (content: Content): content is Content & Reply => content.status !== undefined;

const isCommitted = (row: RequestRow): row is RequestRow & { content: string } =>
  row.content !== null;

/** If it fails, the claim ends by itself. */
const release = (pool: Queryable, claim: Claim, log: Log): Promise<void> =>
  releaseRequest(pool, claim).catch((error: unknown) =>
    log.warn({ err: error }, 'the claim of an idempotent request was not released'),
  );

/** Returns the account of a credential, or its organization if it acts for no person. */
const ownerOf = ({ person, quota_owner }: Principal): RequestOwner =>
  person === null
    ? { account_id: null, organization_id: quota_owner.id }
    : { account_id: person, organization_id: null };

/**
 * Names the credential. One with fewer permissions could not have created what another one did, so
 * it must not get the secrets; the sessions of a person have the same permissions.
 */
const credentialOf = ({ credential: { kind, id } }: Principal): string =>
  kind === 'session' ? kind : `${kind} ${id}`;

/** All credentials of a person are one caller, each of an organization is its own. */
function idOf({ key, caller, route, params }: CreatingRequest): string {
  const { kind, id } = caller.credential;
  const who = caller.person === null ? [kind, id] : ['account', caller.person];
  return hexHashOf(canonicalJson([...who, route.operation_id, params ?? null, key]));
}

/**
 * Creates the functions that compare bodies, as canonical JSON. A body can contain a password, so its hash must be
 * useless without our key.
 */
function createBodyHashes({ subkeys }: Pick<Secrets, 'subkeys'>) {
  const keys = subkeys('idempotent-body');
  const hashOf = (body: string, key: Buffer) => createHmac('sha256', key).update(body).digest();
  return {
    of: (body: string) => hashOf(body, keys[0]),
    match: (stored: Buffer, body: string) =>
      keys.some((key) => equalSecrets(stored, hashOf(body, key))),
  };
}

const stillRunning = () =>
  conflict(
    'idempotency_running',
    'A request with this Idempotency-Key is still running. Repeat it in a few seconds.',
  );

const TOO_MANY_KEPT =
  `At most ${MAX_KEPT.requests} requests with an Idempotency-Key, and ` +
  `${MAX_KEPT.bytes / 1_000_000} MB of their responses, are kept for a day. Send this one without ` +
  'the header, or wait until the oldest is forgotten.';

const mismatch = () =>
  unprocessable(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another body. Send the first body, or another key.',
  );
