import type { ApiKeyPrincipal } from '../caller/principal.ts';
import { createGrouped } from '../platform/concurrency/grouped.ts';
import { asRefusal } from '../platform/errors/outage.ts';
import { unauthenticated, unavailable } from '../platform/errors/refusal.ts';
import { hexHashOf } from '../platform/secrets.ts';
import type { CredentialRow } from './credentials/store.ts';

// A secret has 39; the rest of a header's size is nothing worth hashing.
const SECRET_LENGTH = 256;

export interface AuthenticatorDependencies {
  /** One query on the primary for several hashes, in hex. */
  read(hashes: readonly string[]): Promise<ReadonlyMap<string, CredentialRow>>;
  /** Told of each use of a key whose last one is not written or a minute old. */
  used(id: string): void;
}

/**
 * Whom a secret stands for, by one read that starts after the question. The text is hashed, never
 * parsed. It throws 401 or 503 and nothing else; every bad secret gets the same 401.
 */
export function createAuthenticator({ read, used }: AuthenticatorDependencies) {
  const ask = createGrouped({ read: async (hashes) => mapValues(await read(hashes), knownOf) });

  return async function authenticate(secret: string): Promise<ApiKeyPrincipal> {
    if (secret.length > SECRET_LENGTH) throw invalid('longer than any secret');
    let known: KnownKey | null;
    try {
      known = await ask(hexHashOf(secret));
    } catch (error) {
      throw asRefusal(error) ?? unavailable('credentials cannot be read', error);
    }
    if (known === null) throw invalid('unknown');
    const { usable, used_lately, caller } = known;
    if (!usable) throw invalid('revoked, expired, or of a deactivated account');
    if (!used_lately) used(caller.credential.id);
    return caller;
  };
}

interface KnownKey extends Pick<CredentialRow, 'usable' | 'used_lately'> {
  /** One for all requests that one read let in, so that what follows from it can be shared too. */
  caller: ApiKeyPrincipal;
}

const knownOf = (row: CredentialRow): KnownKey => ({
  usable: row.usable,
  used_lately: row.used_lately,
  caller: callerOf(row),
});

const mapValues = <From, To>(map: ReadonlyMap<string, From>, to: (value: From) => To) =>
  new Map(Array.from(map, ([key, value]) => [key, to(value)] as const));

const invalid = (reason: string) =>
  unauthenticated('invalid_credential', 'The credential is not valid.', { reason });

/** Callers of open streams as they are now; null: the key is no longer valid. */
export function createCallerReader(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, CredentialRow>>,
) {
  return async (
    callers: readonly ApiKeyPrincipal[],
  ): Promise<Map<string, ApiKeyPrincipal | null>> => {
    const ids = callers.map(({ credential }) => credential.id);
    const rows = await read(ids);
    const callerAt = (row: CredentialRow | undefined) => (row?.usable ? callerOf(row) : null);
    return new Map(ids.map((id) => [id, callerAt(rows.get(id))]));
  };
}

/** The caller a key makes, usable or not: whoever lets it in looks at that first. */
export function callerOf(row: CredentialRow): ApiKeyPrincipal {
  const { account_id, revision, applied, nonce, content } = row;
  return {
    credential: { kind: 'api_key', id: row.id },
    subject: `api_key:${row.id}`,
    context: `account:${account_id}`,
    person: account_id,
    quota_owner: { kind: 'account', id: account_id, plan: row.plan },
    scopes: [{ kind: 'account', id: account_id, revision, applied, nonce, content }],
    tool_policy: row.tool_policy,
    resource_policy: row.resource_policy,
    prompt_policy: row.prompt_policy,
    agent_policy: row.agent_policy,
    default_agent_id: row.default_agent_id,
    audit_arguments: row.audit_arguments,
  };
}
