import { scopeClosure } from '../../authz/permissions.ts';
import { authorityOf } from '../../caller/actor.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, forbidden, throwIfProblems } from '../../platform/errors/refusal.ts';
import { auditedClient } from './audited.ts';
import { createAuthorityRules, pointed } from './authority.ts';
import type { CheckedAuthority } from './authority.ts';
import { bindToTeams, readBound } from './bound.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { changedFields, isSensitive, withEdit } from './edit.ts';
import { createClientRecords } from './record.ts';
import type { createRemoval } from './removal.ts';
import { clientProblems } from './rules.ts';
import { createSave, lockUnchanged } from './save.ts';
import type { ClientEdit, ClientRecord } from './schema.ts';
import { findClient, updateClient } from './store.ts';
import type { ClientId, OAuthClient } from './store.ts';

/** Creates the function that changes clients. */
export function createEditing(
  dependencies: ClientsDependencies & Pick<ReturnType<typeof createRemoval>, 'endSoon'>,
) {
  const { database, organizations } = dependencies;
  const checkAuthority = createAuthorityRules(organizations);
  const save = createSave(dependencies);
  const { showSaved } = createClientRecords(dependencies);
  const { endBefore, endAfter } = createEnding(dependencies);

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

  return async function update(
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
    throwIfProblems([...clientProblems(client.owner.kind, shape), ...problems]);
    if (Object.keys(edit).length === 0) return showSaved(caller, client);
    await endBefore(stored, after);
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
    await endAfter(stored, after);
    return showSaved(caller, client);
  };
}

/** Creates the functions that take from connections what their client has lost. */
function createEnding({
  connections,
  endSoon,
}: Pick<Parameters<typeof createEditing>[0], 'connections' | 'endSoon'>) {
  const isEnabled = ({ disabled_at }: OAuthClient) => disabled_at === null;
  const hasSameTeams = (before: OAuthClient, after: OAuthClient) =>
    JSON.stringify(before.team_ids) === JSON.stringify(after.team_ids);

  async function endLost(before: OAuthClient, after: OAuthClient): Promise<void> {
    const { id } = after;
    if (isEnabled(before) && !isEnabled(after)) return connections.revokeOfClient(id);
    if (before.has_own_authority && !after.has_own_authority)
      await connections.revokeOfClient(id, { only_own_authority: true });
    if (!hasSameTeams(before, after)) await connections.narrowOfClient(id);
  }

  return {
    /** Completes what earlier edits took, so that this edit cannot give it back. */
    async endBefore(before: OAuthClient, after: OAuthClient): Promise<void> {
      const { id } = before;
      if (!isEnabled(before)) return connections.revokeOfClient(id);
      if (after.has_own_authority && !before.has_own_authority)
        await connections.revokeOfClient(id, { only_own_authority: true });
      if (!hasSameTeams(before, after)) await connections.narrowOfClient(id);
    },
    endAfter: (before: OAuthClient, after: OAuthClient) => endSoon(endLost(before, after)),
  };
}

const interactiveOnly = () =>
  forbidden(
    'interactive_only',
    'A credential may only rename or disable a client. This requires a signed-in session: sign in with `POST /api/auth/login`.',
  );
