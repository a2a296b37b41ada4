import type { Action } from '../../caller/actions.ts';
import { systemActor } from '../../caller/actor.ts';
import { scopeName } from '../../caller/scope.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { parsePair } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { RecordAudit } from '../changes/change.ts';
import type { Projections } from '../changes/projections.ts';
import { readScopes } from '../changes/store.ts';
import { PLATFORM } from '../system-roles.ts';
import type { TupleChange } from './matching.ts';

type AuditEntry = Parameters<RecordAudit>[1][number];

const ACTION: Action = 'authz.foreign_write';

/** The scope whose history lists a foreign write, and its organization. */
interface Owner extends ScopeRef {
  organization_id: string | null;
}

/**
 * Returns an audit entry for each foreign write: in the log of the organization or account that its object
 * belongs to or, if the object has no row, its subject. One that belongs to no tenant is listed by the
 * platform's scope, which no person can read.
 */
export async function entriesOf(
  db: Queryable,
  projections: Pick<Projections, 'scopesOf'>,
  foreign: readonly TupleChange[],
): Promise<AuditEntry[]> {
  const ownerOf = await findOwners(
    db,
    projections,
    foreign.flatMap(({ tuple }) => [tuple.object, tuple.user]),
  );
  return foreign.map(({ tuple, operation, at }) => {
    const owner = ownerOf(tuple.object) ?? ownerOf(tuple.user);
    const { kind, id } = owner ?? PLATFORM;
    return {
      actor: systemActor,
      action: ACTION,
      scope: { kind, id },
      organization_id: owner?.organization_id ?? null,
      units: unitsOf(owner),
      detail: { operation, tuple, written_at: at },
      deletes_session: false,
    };
  });
}

function unitsOf(owner: Owner | null): AuditEntry['units'] {
  if (owner === null) return [];
  if (owner.organization_id !== null) return [{ type: 'organization', id: owner.organization_id }];
  return owner.kind === 'account' ? [{ type: 'account', id: owner.id }] : [];
}

/** Returns the function that finds an object's owner among those that have a scope. */
async function findOwners(
  db: Queryable,
  projections: Pick<Projections, 'scopesOf'>,
  names: readonly string[],
): Promise<(name: string) => Owner | null> {
  // A subject may be a set of subjects: `org_role:<id>#holder`.
  const objectOf = (name: string) => name.split('#', 1)[0]!;
  const scopeOf = await projections.scopesOf(db, new Set(names.map(objectOf)));
  const refs = names.map((name) => scopeOf(objectOf(name)) ?? organizationIn(objectOf(name)));
  const found = await readScopes(
    db,
    refs.filter((ref) => ref !== null),
  );
  const owners = new Map(found.map((scope) => [scopeName(scope), scope]));
  return (name) => {
    const ref = scopeOf(objectOf(name)) ?? organizationIn(objectOf(name));
    return ref === null ? null : (owners.get(scopeName(ref)) ?? null);
  };
}

/** Returns the organization that an object names, whether or not the object has a row. */
function organizationIn(object: string): ScopeRef | null {
  const [type, id = ''] = object.split(':', 2);
  if (type !== 'membership' && type !== 'service') return null;
  const ids = parsePair(id);
  return ids && { kind: 'organization', id: ids[0] };
}
