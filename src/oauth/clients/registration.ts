import { scopeClosure } from '../../authz/permissions.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Save } from '../../caller/once.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import { auditedClient } from './audited.ts';
import { createAuthorityRules, pointed } from './authority.ts';
import type { CheckedAuthority } from './authority.ts';
import { bindToTeams, readBound } from './bound.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { createClientRecords } from './record.ts';
import { clientProblems } from './rules.ts';
import { createSave } from './save.ts';
import type { ClientDraft, CreatedClient } from './schema.ts';
import { createSecret } from './secrets/secrets.ts';
import { countClients, insertClient } from './store.ts';
import type { ClientOwner } from './store.ts';

interface Registered {
  client_secret: string | null;
  after: Awaited<ReturnType<typeof readBound>>;
}

// Creating or deleting a team writes the scope of each machine connection that follows all teams.
const MAX_CLIENTS = 100;

/** Creates the function that registers clients. */
export function createRegistration(dependencies: ClientsDependencies) {
  const { organizations } = dependencies;
  const { showSaved } = createClientRecords(dependencies);
  const checkAuthority = createAuthorityRules(organizations);
  const save = createSave(dependencies);

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

  return async function create(
    caller: SessionPrincipal,
    owner: ClientOwner,
    draft: ClientDraft,
    request: RequestFacts,
  ): Promise<CreatedClient> {
    const registered = await request.once<Registered>((keep) =>
      register(caller, { owner, draft }, request, keep),
    );
    const { client_secret, after } = registered;
    return { ...(await showSaved(caller, { id: after.id, owner })), client_secret };
  };

  async function register(
    caller: SessionPrincipal,
    { owner, draft }: { owner: ClientOwner; draft: ClientDraft },
    request: RequestFacts,
    keep: Save<Registered>,
  ): Promise<Registered> {
    const { problems, basis } = await checkDraft(caller, owner, draft);
    throwIfProblems([...clientProblems(owner.kind, draft), ...problems]);
    const client = { id: newId(), owner };
    const { team_ids } = draft;
    const stored = { ...draft, allowed_scopes: scopeClosure(draft.allowed_scopes) };
    return save({
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
        return keep(transaction, {
          client_secret: secret?.client_secret ?? null,
          after: await readBound(transaction, client, team_ids),
        });
      },
      detail: ({ after }) => ({ after: auditedClient(after) }),
    });
  }
}

const tooManyClients = ({ kind }: ClientOwner) =>
  unprocessable(
    'limit_reached',
    `This ${kind} has reached its limit of ${MAX_CLIENTS} OAuth clients. Delete one first.`,
  );
