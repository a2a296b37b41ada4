import { ConcurrentUpdate } from '../../authz/authz.ts';
import { scopeClosure } from '../../authz/permissions.ts';
import { authorityOf } from '../../caller/actor.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import {
  absent,
  forbidden,
  throwIfProblems,
  unprocessable,
} from '../../platform/errors/refusal.ts';
import { auditedClient } from './audited.ts';
import { createAuthorityRules } from './authority.ts';
import type { CheckedAuthority } from './authority.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { changedFields, isSensitive, withEdit } from './edit.ts';
import { recordsOf } from './record.ts';
import type { createRemoval } from './removal.ts';
import { clientProblems, MAX_PROBLEMS } from './rules.ts';
import { createSave, lockUnchanged } from './save.ts';
import type { ClientDraft, ClientEdit, ClientRecord, CreatedClient } from './schema.ts';
import { createSecret } from './secrets/secrets.ts';
import { countClients, findClient, insertClient, replaceTeams, updateClient } from './store.ts';
import type { ClientId, ClientOwner, OAuthClient } from './store.ts';

// Creating or deleting a team writes the scope of each machine connection that follows all teams.
export const MAX_CLIENTS = 100;

export type ManagementDependencies = ClientsDependencies &
  Pick<ReturnType<typeof createRemoval>, 'endSoon'>;

/** Creates the operations that register clients and change them. */
export function createClientManagement(dependencies: ManagementDependencies) {
  const { database, organizations, connections, endSoon } = dependencies;
  const checkAuthority = createAuthorityRules(organizations);
  const save = createSave(dependencies);

  async function show(client: ClientId): Promise<ClientRecord> {
    const saved = await findClient(database.pool, client);
    if (saved === null) throw absent('the client was deleted concurrently');
    const [record] = await recordsOf(database.pool, [saved]);
    return record!;
  }

  const checkDraft = (
    caller: SessionPrincipal,
    owner: ClientOwner,
    { allowed_scopes, grant_types, team_ids }: ClientDraft,
  ): Promise<CheckedAuthority> =>
    owner.kind === 'account'
      ? Promise.resolve({ problems: [], basis: caller.scopes })
      : checkAuthority(caller, {
          organization_id: owner.id,
          added_teams: (team_ids ?? []).map((id, index) => ({ id, index })),
          own: grant_types.includes('client_credentials')
            ? { scopes: pointed(allowed_scopes), team_ids, teams_pointer: '/team_ids' }
            : null,
        });

  /** Checks everything that the edited client could do by itself: it may use it from then on. */
  async function checkEdit(
    caller: Principal,
    { owner }: ClientId,
    stored: OAuthClient,
    edit: ClientEdit,
  ): Promise<CheckedAuthority> {
    if (owner.kind === 'account' || !isSensitive(edit) || !isSession(caller))
      return { problems: [], basis: caller.scopes };
    const after = withEdit(stored, edit);
    const field = `/${Object.keys(edit).find((name) => name !== 'name')}`;
    const before = new Set(stored.team_ids);
    return checkAuthority(caller, {
      organization_id: owner.id,
      added_teams: (edit.team_ids ?? [])
        .map((id, index) => ({ id, index }))
        .filter(({ id }) => !before.has(id)),
      own: after.has_own_authority
        ? {
            scopes: edit.allowed_scopes
              ? pointed(edit.allowed_scopes)
              : stored.allowed_scopes.map((name) => ({ name, pointer: field })),
            team_ids: after.team_ids,
            teams_pointer: edit.team_ids === undefined ? field : '/team_ids',
          }
        : null,
    });
  }

  return {
    async create(
      caller: SessionPrincipal,
      owner: ClientOwner,
      draft: ClientDraft,
      request: RequestFacts,
    ): Promise<CreatedClient> {
      const { problems, basis } = await checkDraft(caller, owner, draft);
      throwIfProblems([...clientProblems(owner.kind, draft), ...problems], MAX_PROBLEMS);
      const client = { id: newId(), owner };
      const { team_ids } = draft;
      const stored = { ...draft, allowed_scopes: scopeClosure(draft.allowed_scopes) };
      const { client_secret } = await save({
        client,
        action: 'oauth_client.create',
        authority: { ...authorityOf(caller, request), basis },
        before: null,
        after: {
          ...{ id: client.id, organization_id: owner.kind === 'organization' ? owner.id : null },
          ...{ grant_types: draft.grant_types, allowed_scopes: stored.allowed_scopes, team_ids },
          disabled_at: null,
        },
        async work(transaction) {
          await insertClient(transaction, { ...client, draft: stored, created_by: caller.person });
          await bindToTeams(transaction, client, team_ids);
          // Counted under a lock, so that concurrent creations cannot exceed the limit.
          if ((await countClients(transaction, owner)) > MAX_CLIENTS) throw tooManyClients(owner);
          const secret =
            draft.type === 'confidential' ? await createSecret(transaction, client.id) : null;
          return {
            client_secret: secret?.client_secret ?? null,
            after: await readBound(transaction, client, team_ids),
          };
        },
        detail: ({ after }) => ({ after: auditedClient(after) }),
      });
      return { ...(await show(client)), client_secret };
    },

    async update(
      caller: Principal,
      client: ClientId,
      sent: ClientEdit,
      request: RequestFacts,
    ): Promise<ClientRecord> {
      const stored = await findClient(database.pool, client);
      if (stored === null) throw absent();
      if (isSensitive(sent) && !isSession(caller)) throw interactiveOnly();
      const edit = changedFields(stored, sent);
      const after = withEdit(stored, edit);
      const { problems, basis } = await checkEdit(caller, client, stored, edit);
      const shape = { ...after, allowed_scopes: sent.allowed_scopes ?? after.allowed_scopes };
      throwIfProblems([...clientProblems(client.owner.kind, shape), ...problems], MAX_PROBLEMS);
      if (Object.keys(edit).length === 0) return show(client);
      // What ended with the client, or with its own authority, must not come back.
      if (edit.disabled === false) await connections.revokeOfClient(client.id);
      else if (after.has_own_authority && !stored.has_own_authority)
        await connections.revokeOfClient(client.id, { only_own_authority: true });
      await save({
        ...{ client, action: 'oauth_client.update' as const, before: stored, after },
        authority: { ...authorityOf(caller, request), basis },
        async work(transaction) {
          await lockUnchanged(transaction, client, stored);
          const { allowed_scopes: scopes } = edit;
          const closure = scopes ? { allowed_scopes: scopeClosure(scopes) } : {};
          await updateClient(transaction, client.id, { ...edit, ...closure });
          if (edit.team_ids !== undefined) await bindToTeams(transaction, client, edit.team_ids);
          return readBound(transaction, client, after.team_ids);
        },
        detail: (saved) => ({ before: auditedClient(stored), after: auditedClient(saved) }),
      });
      if (edit.disabled === true) await endSoon(connections.revokeOfClient(client.id));
      else if (stored.has_own_authority && !after.has_own_authority)
        await endSoon(connections.revokeOfClient(client.id, { only_own_authority: true }));
      return show(client);
    },
  };
}

const pointed = (scopes: readonly string[]) =>
  scopes.map((name, index) => ({ name, pointer: `/allowed_scopes/${index}` }));

async function bindToTeams(
  transaction: Transaction,
  { id, owner }: ClientId,
  team_ids: readonly string[] | null,
): Promise<void> {
  if (owner.kind === 'organization')
    await replaceTeams(transaction, { id, organization_id: owner.id }, team_ids);
}

/** Returns a saved client. Throws `ConcurrentUpdate` if one of its teams has been deleted. */
async function readBound(
  transaction: Transaction,
  client: ClientId,
  team_ids: readonly string[] | null,
): Promise<OAuthClient> {
  const saved = await findClient(transaction, client);
  if (saved === null) throw absent('the client was deleted concurrently');
  const isOfOrganization = client.owner.kind === 'organization';
  if (isOfOrganization && saved.team_ids?.length !== team_ids?.length) throw new ConcurrentUpdate();
  return saved;
}

const tooManyClients = ({ kind }: ClientOwner) =>
  unprocessable(
    'limit_reached',
    `This ${kind} has reached its limit of ${MAX_CLIENTS} OAuth clients. Delete one first.`,
  );

const interactiveOnly = () =>
  forbidden(
    'interactive_only',
    'A credential may only rename or disable a client. This requires a signed-in session: sign in with `POST /api/auth/login`.',
  );
