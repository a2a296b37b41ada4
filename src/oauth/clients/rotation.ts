import { authorityOf } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Save } from '../../caller/once.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { createAuthorityRules } from './authority.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { createSave, lockUnchanged } from './save.ts';
import type { CreatedSecret } from './schema.ts';
import { createSecret, MAX_SECRETS } from './secrets/secrets.ts';
import { deleteSecret, listSecrets } from './secrets/store.ts';
import { findClient } from './store.ts';
import type { ClientId } from './store.ts';

/** Creates the operations that replace a client's secret: add the next one, delete the old one. */
export function createSecretRotation(dependencies: ClientsDependencies) {
  const { database, organizations } = dependencies;
  const checkAuthority = createAuthorityRules(organizations);
  const save = createSave(dependencies);

  return {
    /**
     * Adds a secret. Its holder can act as the client, so for a client that acts by itself, the
     * caller must have everything that the client may do.
     */
    async add(
      caller: SessionPrincipal,
      client: ClientId,
      request: RequestFacts,
      keep: Save<CreatedSecret>,
    ): Promise<CreatedSecret> {
      const stored = await findClient(database.pool, client);
      if (stored === null) throw absent();
      if (stored.type === 'public')
        throw unprocessable('secret_not_applicable', 'A public client has no secret.');
      const { allowed_scopes, team_ids } = stored;
      const { problems, basis } = stored.has_own_authority
        ? await checkAuthority(caller, {
            ...{ organization_id: client.owner.id, added_teams: [] },
            own: {
              scopes: allowed_scopes.map((name) => ({ name, pointer: '' })),
              ...{ team_ids, teams_pointer: '' },
            },
          })
        : { problems: [], basis: caller.scopes };
      throwIfProblems(problems.map(withoutPointer));
      return save({
        ...{ client, action: 'oauth_client_secret.create' as const, before: null, after: null },
        authority: { ...authorityOf(caller, request), basis },
        async work(transaction) {
          await lockUnchanged(transaction, client, stored);
          if ((await listSecrets(transaction, [client.id])).length >= MAX_SECRETS)
            throw unprocessable(
              'limit_reached',
              `A client has at most ${MAX_SECRETS} secrets. Delete the one that is no longer used.`,
            );
          return keep(transaction, await createSecret(transaction, client.id));
        },
        detail: ({ id, prefix }) => ({ name: stored.name, secret: { id, prefix } }),
      });
    },

    async remove(client: ClientId, secret_id: string, authority: Authority): Promise<void> {
      const stored = await findClient(database.pool, client);
      if (stored === null) throw absent();
      await save({
        ...{ client, action: 'oauth_client_secret.delete' as const, before: null, after: null },
        authority,
        async work(transaction) {
          const deleted = await deleteSecret(transaction, { id: secret_id, client_id: client.id });
          if (deleted === null) throw absent('the client has no such secret');
          return deleted;
        },
        detail: ({ id, prefix }) => ({ name: stored.name, secret: { id, prefix } }),
      });
    },
  };
}

/** The request has no body that a pointer could refer to. */
function withoutPointer(problem: Problem): Problem {
  const { pointer: _pointer, ...detail } = problem.detail as { pointer: string };
  return { ...problem, detail };
}
