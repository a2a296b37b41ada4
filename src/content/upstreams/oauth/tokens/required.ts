import { ToolFailure } from '../../../../catalog/catalog.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { SpaceIdentity } from '../../../spaces/space.ts';
import { findSpace } from '../../../spaces/store.ts';

/** Thrown inside this module if a holder has no authorization, or it has ended. */
export class AuthorizationMissing extends Error {}

export interface MissingAt {
  upstream_id: string;
  space_id: string;
  name: string;
  connection: 'shared' | 'each_person';
  person: string | null;
}

/** Creates the tool error that says where a person connects. */
export function createAuthorizationRequired(db: Queryable, dashboardUrl: string) {
  return async function authorizationRequired(missing: MissingAt): Promise<ToolFailure> {
    const { connection, person, name, upstream_id, space_id } = missing;
    if (connection === 'each_person' && person === null)
      return failure(
        `At ${name}, each person uses an account of their own, and this credential acts for no person.`,
      );
    const space = await findSpace(db, space_id);
    const query = space === null ? '' : pageQuery(space);
    const url = `${dashboardUrl}/app/connect-server/${upstream_id}${query}`;
    return failure(`Connect an account at ${name} first: ${url}`, { url });
  };
}

const failure = (message: string, details?: Record<string, unknown>) =>
  new ToolFailure('upstream_authorization_required', message, details);

/** The space of a dashboard page, by the ids in its query. */
function pageQuery(space: SpaceIdentity): string {
  if (space.kind === 'personal') return '';
  const { organization_id } = space;
  const query = new URLSearchParams({
    organization: organization_id,
    ...(space.kind === 'team' ? { team: space.team_id } : {}),
    ...(space.kind === 'member' ? { own: 'true' } : {}),
  });
  return `?${query.toString()}`;
}
