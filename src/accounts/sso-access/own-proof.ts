import type { SessionPrincipal } from '../../caller/principal.ts';
import { forbidden } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { provesOnlySignIn, provesOnlySignInElsewhere } from './store.ts';

/**
 * Throws 403 if anyone who controls the identity provider of an organization of the caller could have
 * opened the session. It is called before changes by which they could delete the account, or keep it after the
 * membership has ended. They may remove what was added to the account, at `added_at`, since they could
 * sign in to it.
 */
export async function requireOwnProof(
  db: Queryable,
  { person: account_id, credential }: SessionPrincipal,
  added_at: string | null = null,
): Promise<void> {
  const proving = { account_id, session_id: credential.id, added_at };
  if (await provesOnlySignIn(db, proving))
    throw forbidden(
      'own_sign_in_required',
      'Your organization’s identity provider can sign in to this account. Sign in with a passkey or an account at a third party that you added before, or leave the organization first.',
    );
}

/**
 * Throws 403 if anyone who controls the identity provider of another organization could have opened
 * the session. Call it before changes that need the person: otherwise they could take or delete every
 * organization that the person owns.
 */
export async function requireProofFor(
  db: Queryable,
  { person: account_id, credential, organization }: SessionPrincipal,
): Promise<void> {
  if (organization === null) return;
  const proving = { account_id, session_id: credential.id, organization_id: organization.id };
  if (await provesOnlySignInElsewhere(db, proving))
    throw forbidden(
      'own_sign_in_required',
      'The identity provider of another organization can sign in to this account. Sign in with a passkey or an account at a third party that you added before, or leave the other organization first.',
    );
}
