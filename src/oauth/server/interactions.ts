import { z } from 'zod';
import type { RequestFacts } from '../../caller/route.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { keyOf } from './adapter.ts';
import type { CookieSignatures } from './cookie-signatures.ts';
import { decideInteraction, findArtifact } from './store.ts';

const COOKIE = '_interaction';
const MODEL = 'Interaction';

/** An authorization request that waits for a person's decision. */
export interface Interaction {
  uid: string;
  client_id: string;
  /** The requested scopes that the client may have, with the views they imply. */
  scopes: readonly string[];
  redirect_uri: string;
  /** The organization in which a built-in client is to work; null: in the person's account. */
  organization_id: string | null;
  /** The address at which the decision takes the person back to the client. */
  return_to: string;
  /** The decision as it was sent; null while the request waits for one. */
  decided_as: string | null;
}

/** A person's decision on an authorization request. */
export type Decision =
  | { login: { accountId: string }; consent: { grantId: string } }
  | { error: 'access_denied'; error_description: string };

export interface Interactions {
  /** Returns a request that was started in the browser with these cookies; null for any other. */
  find(uid: string, cookies: RequestFacts['cookies']): Promise<Interaction | null>;
  /** Stores the decision, which was sent as `as_sent`; of concurrent ones, only one returns true. */
  decide(db: Queryable, uid: string, decision: Decision & { as_sent: string }): Promise<boolean>;
}

const Stored = z.object({
  returnTo: z.string(),
  params: z.object({
    ...{ client_id: z.string(), scope: z.string(), redirect_uri: z.string() },
    organization_id: z.string().optional(),
  }),
  result: z.object({ as_sent: z.string() }).optional(),
});

export const createInteractions = (
  { pool }: { pool: Queryable },
  signatures: CookieSignatures,
): Interactions => ({
  async find(uid, cookies) {
    const signature = cookies[`${COOKIE}.sig`] ?? '';
    if (cookies[COOKIE] !== uid || !signatures.verify(`${COOKIE}=${uid}`, signature)) return null;
    const found = await findArtifact(pool, keyOf(MODEL, uid));
    if (found === null) return null;
    const { returnTo, params, result } = Stored.parse(found.payload);
    return {
      ...{ uid, client_id: params.client_id, redirect_uri: params.redirect_uri },
      scopes: params.scope.split(' '),
      organization_id: params.organization_id ?? null,
      return_to: returnTo,
      decided_as: result?.as_sent ?? null,
    };
  },
  decide: (connection, uid, decision) =>
    decideInteraction(connection, keyOf(MODEL, uid), { ...decision }),
});
