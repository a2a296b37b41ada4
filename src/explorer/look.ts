import { missingScope } from '../authz/authz.ts';
import type { Authz, Check, CheckObject, ObjectCaller, Tuple } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { createDecided } from './permissions/decided.ts';
import type { ItemRef } from './items/item-ref.ts';
import { createFind } from './subjects/found.ts';
import type { FindDependencies } from './subjects/found.ts';
import { listSubjects, listTeamNames } from './subjects/store.ts';
import type { SubjectRow } from './subjects/store.ts';

export interface LookDependencies extends FindDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  authz: Pick<Authz, 'modelId' | 'uncached' | 'explain'>;
  /** Creates views that are cached for one report. */
  createVisibility(item?: ItemRef): Visibility;
}

/** One look at an organization: it reads and decides like requests do, and caches for itself only. */
export type Look = Awaited<ReturnType<typeof beginLook>>;

/** Begins a look at an organization; of items, at the given one alone. */
export async function beginLook(
  dependencies: LookDependencies,
  organization_id: string,
  item?: ItemRef,
) {
  const { database, authz } = dependencies;
  const as_of = new Date().toISOString();
  const names = await listTeamNames(database.pool, organization_id);
  const teams = new Map(names.map(({ id, name }) => [id, name]));
  const check: CheckObject = (principal, relations, object) =>
    authz.uncached.check(principal, relations, object);
  const find = createFind(dependencies, organization_id);

  return {
    ...{ organization_id, as_of, teams, model_id: authz.modelId },
    visibility: dependencies.createVisibility(item),
    ...createDecided(check, { organization_id, teams }),
    find,
    /** Returns the rows of subjects that still exist, by their ids. */
    async rowsOf(ids: readonly string[]): Promise<ReadonlyMap<string, SubjectRow>> {
      const rows = await listSubjects(database.pool, organization_id, { ids });
      return new Map(rows.map((row) => [row.id, row]));
    },
    /** Returns whether OpenFGA's checks allow relations; for credentials, within their tokens. */
    checkEach: (principal: ObjectCaller, checks: readonly Check[]) =>
      authz.uncached.checkEach(principal, checks),
    /** Returns the ids of those rows that the rows of their account and client allow to be used. */
    async usableOf(rows: readonly Pick<SubjectRow, 'kind' | 'id'>[]): Promise<ReadonlySet<string>> {
      const found = await find(rows);
      return new Set([...found].flatMap(([id, { isUsable }]) => (isUsable ? [id] : [])));
    },
    missingScope,
    /** Returns the tuples by which a relation holds or, if it does not, those that are missing. */
    async tuplesOf(
      principal: Pick<Principal, 'subject' | 'context'>,
      relation: string,
      object: string,
    ): Promise<readonly Tuple[]> {
      return (await authz.explain(principal, [relation], object)).get(relation)?.tuples ?? [];
    },
    /** Returns the tuples by which a principal has relations to an object; none if it has not. */
    async provenBy(
      principal: Pick<Principal, 'subject' | 'context'>,
      relations: readonly string[],
      object: string,
    ): Promise<readonly Tuple[]> {
      const proofs = await authz.explain(principal, relations, object);
      return [...proofs.values()].flatMap(({ holds, tuples }) => (holds ? tuples : []));
    },
  };
}
