import { decideOnObject } from '../authz/authz.ts';
import type { CheckObject } from '../authz/authz.ts';
import { personalPermissions } from '../authz/permissions.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import { admittedView } from '../keys/keys.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { createSubjectAccess } from './access.ts';
import type { ExplorerDependencies } from './dependencies.ts';
import type { SubjectAccess } from './schema.ts';
import { findOwnCredential } from './subjects/own.ts';
import type { OwnKind } from './subjects/own.ts';

/** Creates the answers about a person's own credentials, wherever they work. */
export function createOwnAccess(
  { database, authz, credentials, keys, createVisibility }: ExplorerDependencies,
  { ofCredential }: Pick<ReturnType<typeof createSubjectAccess>, 'ofCredential'>,
) {
  const check: CheckObject = (principal, relations, object) =>
    authz.uncached.check(principal, relations, object);

  async function requireOwn(caller: SessionPrincipal, id: string, kind: OwnKind) {
    const row = await findOwnCredential(database.pool, { account_id: caller.person, id, kind });
    if (row === null) throw absent('no such credential of the caller');
    return row;
  }

  /** Returns what a credential may do in its person's account. */
  async function inAccount(
    caller: SessionPrincipal,
    { kind, id, name, last_used_at }: NonNullable<Awaited<ReturnType<typeof findOwnCredential>>>,
  ): Promise<SubjectAccess> {
    const as_of = new Date().toISOString();
    const credential = (await credentials.findAll([id])).get(id);
    if (credential === undefined) throw absent('deleted concurrently');
    const { principal, usable } = credential;
    const allowed = await Promise.all(
      personalPermissions.map(async ({ relation, grant }) => {
        const access = { on: 'account', permission: relation } as const;
        const { isSeen, isAllowed } = await decideOnObject(
          check,
          { principal, params: {} },
          access,
        );
        return usable && isSeen && isAllowed ? (grant ?? []) : [];
      }),
    );
    const visibility = createVisibility();
    const view = await visibility.precomputed(
      caller.person,
      await admittedView(credential, visibility.fullView),
    );
    const owner = { kind: 'account', id: caller.person } as const;
    const page = kind === 'key' ? `keys/${id}` : null;
    const declared = [...view.capabilities];
    const { seen } = await keys.shownIn({
      ...{ view, isKnown: () => true, fairnessKey: caller.person, page: null },
      tool_listing: principal.tool_listing,
      ...{ default_agent_id: null, previewed: { owner, runs_in: null, page, declared } },
    });
    return {
      subject: {
        ...{ kind, id, name, last_used_at, teams: [], follows: false },
        owner: { account_id: caller.person, email: caller.email },
      },
      ...{ permissions: allowed.flat(), team_permissions: [], capabilities: declared },
      ...{ visible: seen.visible, hidden: seen.hidden, counts: seen.counts },
      ...{ as_of, model_id: authz.modelId },
    };
  }

  return {
    requireOwn,
    async of(caller: SessionPrincipal, id: string, kind: OwnKind): Promise<SubjectAccess> {
      const row = await requireOwn(caller, id, kind);
      if (row.organization_id === null) return inAccount(caller, row);
      return ofCredential({ caller, organization_id: row.organization_id }, id, [kind]);
    },
  };
}
