import { scopeName } from '../../caller/scope.ts';
import type { ScopeKind, ScopeRef } from '../../caller/scope.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { typeOf } from '../decisions/evaluator.ts';
import { EPOCH_OBJECT, PLATFORM, platformTuples } from '../system-roles.ts';
import type { ProjectedTables } from './touched.ts';
import type { Slice, Tuple } from '../tuple.ts';

/** Projects an object's rows to its tuples of one subject type, or of one subject if given. */
export type ProjectSlice = (
  db: Queryable,
  id: string,
  subject: string | null,
) => Promise<readonly Tuple[]>;

/** An OpenFGA object type, registered by the modules whose rows its tuples come from. */
export interface Projection {
  type: string;
  /**
   * Raise it when the same rows project to different tuples: the next deployment then writes them.
   */
  version: number;
  /** The kinds of scopes that own such objects. */
  kinds: readonly ScopeKind[];
  /** Finds the scope that owns each object, by id; leaves out an object without a row. */
  scopesOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, ScopeRef>>;
  /** Lists the ids of a scope's objects. */
  list(db: Queryable, scope: ScopeRef): Promise<readonly string[]>;
  /** Keyed by subject type; disjoint, so that a change reads only the rows it may affect. */
  slices: Readonly<Record<string, ProjectSlice>>;
}

/** The tuples that rows imply: the only source for changes, drift checks, repairs and backfills. */
export interface Projections {
  /** Versions by object type; a deployment compares them with those of the previous one. */
  readonly versions: Readonly<Record<string, number>>;
  /** Returns the tuples of each scope, by scope name. */
  project(db: Queryable, slices: readonly Slice[]): Promise<ReadonlyMap<string, readonly Tuple[]>>;
  /** Returns an object's tuples: all, those of one subject, or those of some types of subjects. */
  tuplesOf(
    db: Queryable,
    object: string,
    selected: { subject?: string; types?: ReadonlySet<string> },
  ): Promise<readonly Tuple[]>;
  /**
   * Returns each object's scope: null if it has no row, undefined if its type is not registered.
   */
  scopesOf(
    db: Queryable,
    objects: Iterable<string>,
  ): Promise<(object: string) => ScopeRef | null | undefined>;
  /** The tables that tuples are projected from. */
  readonly tables: readonly ProjectedTables[];
  /** Returns whether this code projects such tuples; those of other types are never touched. */
  covers(tuple: Tuple): boolean;
  /** Lists the objects of a scope; null for a kind of scope that no module registered. */
  objectsOf(db: Queryable, scope: ScopeRef): Promise<readonly string[] | null>;
}

const PLATFORM_TUPLES = Map.groupBy(platformTuples(), ({ object }) => object);
/** Types that this module owns; their objects need no registration. */
const OWN_TYPES = new Set(['everyone', 'platform', 'scope']);
const FENCE = /^scope:([a-z_]+)\.(.*)$/;

/** Throws if two projections have the same type. */
export const createProjections = (
  registered: readonly Projection[],
  tables: readonly ProjectedTables[],
): Projections => ({ ...createRegistry(registered), tables });

function createRegistry(registered: readonly Projection[]): Omit<Projections, 'tables'> {
  const byType = new Map(registered.map((one) => [one.type, one]));
  const scopeKinds = new Set<string>(['platform', ...registered.flatMap((one) => one.kinds)]);
  if (byType.size < registered.length) throw new TypeError('Two projections have the same type.');

  const tuplesOf = createTuplesOf(byType);

  async function projectSlice(
    db: Queryable,
    { object, subject }: Slice,
  ): Promise<readonly Tuple[]> {
    const slices = byType.get(typeOf(object))?.slices;
    if (slices === undefined) throw new TypeError(`No projection is registered for ${object}.`);
    if (subject === undefined) return tuplesOf(db, object, {});
    const slice = slices[typeOf(subject)];
    if (slice === undefined)
      throw new TypeError(`No projection from ${typeOf(subject)} to ${object} is registered.`);
    return slice(db, idOf(object), idOf(subject));
  }

  async function scopesOf(db: Queryable, objects: Iterable<string>) {
    const found = new Map<string, ScopeRef>();
    for (const [type, group] of Map.groupBy(new Set(objects), typeOf)) {
      const ids = group.filter((object) => ownScope(scopeKinds, object) === undefined).map(idOf);
      const scopes = await byType.get(type)?.scopesOf(db, ids);
      for (const [id, scope] of scopes ?? []) found.set(`${type}:${id}`, scope);
    }
    return (object: string) => {
      const own = ownScope(scopeKinds, object);
      if (own !== undefined) return own;
      return found.get(object) ?? (byType.has(typeOf(object)) ? null : undefined);
    };
  }

  return {
    versions: Object.fromEntries(registered.map(({ type, version }) => [type, version])),
    scopesOf,
    covers({ user, object }) {
      if (PLATFORM_TUPLES.has(object) || OWN_TYPES.has(typeOf(object))) return true;
      return byType.get(typeOf(object))?.slices[typeOf(user)] !== undefined;
    },
    tuplesOf,
    async project(db, slices) {
      const scopeOf = await scopesOf(
        db,
        slices.map(({ object }) => object),
      );
      const projected = new Map<string, Tuple[]>();
      for (const slice of slices) {
        const tuples = PLATFORM_TUPLES.get(slice.object) ?? (await projectSlice(db, slice));
        const scope = scopeOf(slice.object);
        if (!scope && tuples.length > 0)
          throw new TypeError(`${slice.object} has tuples, but no scope owns it.`);
        if (!scope) continue;
        projected.set(scopeName(scope), [...(projected.get(scopeName(scope)) ?? []), ...tuples]);
      }
      return projected;
    },
    async objectsOf(db, scope) {
      if (scope.kind === 'platform')
        return scope.id === PLATFORM.id ? [...PLATFORM_TUPLES.keys()] : [];
      const owners = registered.filter(({ kinds }) => kinds.includes(scope.kind));
      if (owners.length === 0) return null;
      const objects: string[] = [];
      for (const { type, list } of owners)
        objects.push(...(await list(db, scope)).map((id) => `${type}:${id}`));
      return objects;
    },
  };
}

/** Creates the function that returns an object's tuples, for decisions on rows. */
const createTuplesOf =
  (byType: ReadonlyMap<string, Projection>): Projections['tuplesOf'] =>
  async (db, object, { subject, types }) => {
    const own = PLATFORM_TUPLES.get(object);
    if (own !== undefined) return own;
    const isSelected = (type: string) =>
      subject === undefined ? (types?.has(type) ?? true) : type === typeOf(subject);
    const tuples: Tuple[] = [];
    for (const [type, slice] of Object.entries(byType.get(typeOf(object))?.slices ?? {}))
      if (isSelected(type))
        tuples.push(...(await slice(db, idOf(object), subject ? idOf(subject) : null)));
    return tuples;
  };

const idOf = (object: string) => object.slice(object.indexOf(':') + 1);

/**
 * Returns the scope of an object of these types; null if it has none, undefined for other types.
 */
function ownScope(kinds: ReadonlySet<string>, object: string): ScopeRef | null | undefined {
  if (object === EPOCH_OBJECT || PLATFORM_TUPLES.has(object)) return PLATFORM;
  if (!OWN_TYPES.has(typeOf(object))) return undefined;
  const [, kind, id = ''] = FENCE.exec(object) ?? [];
  // A fence of a kind that no module registered belongs to another version, like its objects.
  if (kind !== undefined && !kinds.has(kind)) return undefined;
  return isUuid(id) && id === id.toLowerCase() ? { kind: kind as ScopeKind, id } : null;
}
