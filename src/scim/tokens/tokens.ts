import type { Authz } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { lockOrganization } from '../../organizations/organizations.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { CreatedToken, TokenDraft, TokenList, TokenParams } from './schema.ts';
import { countTokens, deleteToken, findToken, insertToken, listTokens } from './store.ts';

/** The bearer tokens with which directories provision an organization. */
export interface ScimTokens {
  list(organization_id: string): Promise<TokenList>;
  /** Throws 404 unless the organization has the token. */
  require(params: TokenParams): Promise<unknown>;
  /** Creates a token; only its hash is stored. */
  create(
    caller: SessionPrincipal,
    organization_id: string,
    draft: TokenDraft,
    request: RequestFacts,
  ): Promise<CreatedToken>;
  /** Deletes a token: the next request with it is rejected. */
  revoke(caller: SessionPrincipal, params: TokenParams, request: RequestFacts): Promise<void>;
}

export interface ScimTokensDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  /** Whether a caller has everything that an Admin has. */
  isAdmin(caller: Principal): Promise<boolean>;
}

interface NewToken {
  id: string;
  token: string;
}

const TOKEN_PREFIX = 'scim_';
// The prefix and four characters: enough to tell tokens apart, too little to help guess one.
const SHOWN_CHARACTERS = TOKEN_PREFIX.length + 4;
// One in use, one that replaces it, and some for other directories.
const MAX_TOKENS = 10;

export function createScimTokens({ database, authz, isAdmin }: ScimTokensDependencies): ScimTokens {
  const { pool } = database;

  async function require({ organization_id, token_id: id }: TokenParams) {
    const token = await findToken(pool, { id, organization_id });
    if (token === null) throw absent('no such token');
    return token;
  }

  return {
    require,
    list: async (organization_id) => ({
      data: [...(await listTokens(pool, organization_id))],
      next_cursor: null,
    }),
    async create(caller, organization_id, { name }, request) {
      const { id: token_id, token } = await request.once<NewToken>(async (save) => {
        requireEnterprise(caller);
        const may_change_emails = await isAdmin(caller);
        const issued = { id: newId(), token: `${TOKEN_PREFIX}${newToken()}` };
        return authz.edit({
          ...authorityOf(caller, request),
          reason: 'scim_token.create',
          writes: [{ kind: 'organization', id: organization_id }],
          targets: [{ type: 'scim_token', id: issued.id }],
          async work(transaction) {
            if ((await lockOrganization(transaction, organization_id)) === null)
              throw absent('the organization was deleted concurrently');
            if ((await countTokens(transaction, organization_id)) >= MAX_TOKENS)
              throw tooManyTokens();
            await insertToken(transaction, {
              ...{ id: issued.id, organization_id, name, created_by: caller.person },
              ...{ may_change_emails, hash: hashSecret(issued.token) },
              prefix: issued.token.slice(0, SHOWN_CHARACTERS),
            });
            return save(transaction, issued);
          },
          detail: () => ({ name }),
        });
      });
      return { ...(await require({ organization_id, token_id })), token };
    },
    async revoke(caller, { organization_id, token_id: id }, request) {
      const { name } = await require({ organization_id, token_id: id });
      await authz.edit({
        ...authorityOf(caller, request),
        reason: 'scim_token.revoke',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [{ type: 'scim_token', id }],
        async work(transaction) {
          if (!(await deleteToken(transaction, { id, organization_id })))
            throw absent('revoked concurrently');
        },
        detail: () => ({ name }),
      });
    },
  };
}

function requireEnterprise({ organization }: SessionPrincipal): void {
  if (organization?.plan !== 'enterprise')
    throw unprocessable('plan_required', 'SCIM requires the Enterprise plan.', {
      detail: { plan: 'enterprise' },
    });
}

const tooManyTokens = () =>
  unprocessable(
    'limit_reached',
    `An organization can have at most ${MAX_TOKENS} SCIM tokens. Revoke one first.`,
  );
