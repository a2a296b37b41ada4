import { problemsOf, requestedBy } from '../authz/authz.ts';
import type { Authz } from '../authz/authz.ts';
import { contextIn } from '../caller/access.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import { differenceOf, knownItems } from '../keys/keys.ts';
import type { IsKnown, KnownItems, KnownTo } from '../keys/keys.ts';
import { membershipObject } from '../organizations/organizations.ts';
import { inTurns } from '../platform/concurrency/turns.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Database } from '../platform/postgres/database.ts';
import type {
  StatesAround,
  Subject,
  SubjectState,
  View,
  Visibility,
} from '../visibility/visibility.ts';
import { compareIn, permissionsIn } from './compared.ts';
import type { Compared } from './compared.ts';
import { MAX_EXAMINED, MAX_ITEMS } from './schema.ts';
import type { AccessEffect, ChangePreview } from './schema.ts';
import { listAffected, listPersonalCredentials } from './store.ts';
import type { Affected, SubjectRow, Subjects, Viewer } from './store.ts';

/** What a change may affect: a person's own account, or some of an organization. */
export type Scope = 'personal' | (Affected & { compared: Compared });

export interface PreviewsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check'>;
  visibility: Pick<Visibility, 'precomputed' | 'allItems' | 'reasonsAgainst'>;
  knownTo: KnownTo;
  statesAround: StatesAround;
  /** Throws 429 above the account's limits. */
  admitPreview<Result>(account_id: string, preview: () => Promise<Result>): Promise<Result>;
}

/** Creates the previews of changes that affect several credentials (docs/decisions/0048). */
export function createPreviews(
  dependencies: PreviewsDependencies,
  { comparingMs = COMPARING_MS } = {},
) {
  const { database, statesAround, admitPreview } = dependencies;
  const viewerOf = createViewers(dependencies);
  const differencesOf = createDifferences(dependencies, comparingMs);

  async function subjectsOf(caller: SessionPrincipal, scope: Scope): Promise<Subjects> {
    const { pool } = database;
    if (scope === 'personal') return listPersonalCredentials(pool, caller.person, MAX_EXAMINED);
    return listAffected(pool, scope, await viewerOf(caller, scope), MAX_EXAMINED);
  }

  async function preview(
    caller: SessionPrincipal,
    scope: Scope,
    request: () => Promise<unknown>,
  ): Promise<ChangePreview> {
    const requested = await requestedBy(request);
    const { rows, total } = await subjectsOf(caller, scope);
    if (requested === null) return { ...NO_EFFECTS, examined: rows.length, total, errors: [] };
    const subjects = rows.map((row) => subjectOf(row, scope));
    const states = await statesAround(requested, subjects, compareIn(comparedIn(scope)));
    const compared = await differencesOf(caller, scope, { rows, ...states });
    return { ...compared, total, errors: [] };
  }

  return {
    /**
     * Returns who gains and loses what by a change: `request` is the operation that would make it,
     * of services that request their changes of `capturing`. Throws what it throws, except for
     * errors with status 409 and 422, which are returned.
     */
    of: (caller: SessionPrincipal, scope: Scope, request: () => Promise<unknown>) =>
      admitPreview(caller.person, async () => {
        try {
          return await preview(caller, scope, request);
        } catch (error) {
          const errors = problemsOf(error);
          const { rows, total } = await subjectsOf(caller, scope);
          return { ...NO_EFFECTS, examined: rows.length, total, errors };
        }
      }),
  };
}
export type Previews = ReturnType<typeof createPreviews>;

const comparedIn = (scope: Scope): Compared => (scope === 'personal' ? null : scope.compared);

/** Returns a subject; a member's permissions are those of the person's sessions. */
function subjectOf({ kind, id, account_id, lists }: SubjectRow, scope: Scope): Subject {
  if (kind !== 'member' || scope === 'personal')
    return { id, account_id, credential: id, member: null, lists };
  const context = membershipObject({ organization_id: scope.organization_id, account_id: id });
  return { id, account_id, credential: null, member: { subject: `user:${id}`, context }, lists };
}

const VIEW_MEMBERS = 'can_members_read';
const VIEW_KEYS = 'can_keys_read';
const VIEW_CLIENTS = 'can_oauth_clients_read';

/** Creates the function that returns what a person may view of an organization. */
const createViewers =
  ({ authz }: Pick<PreviewsDependencies, 'authz'>) =>
  async (
    caller: SessionPrincipal,
    { organization_id }: Pick<Affected, 'organization_id'>,
  ): Promise<Viewer> => {
    const object = contextIn('organization', caller, { organization_id });
    if (object === null) throw absent('the request is in no organization');
    const views = await authz.check(caller, [VIEW_MEMBERS, VIEW_KEYS, VIEW_CLIENTS], object);
    return {
      account_id: caller.person,
      members: views.get(VIEW_MEMBERS) === true,
      keys: views.get(VIEW_KEYS) === true,
      clients: views.get(VIEW_CLIENTS) === true,
    };
  };

interface Around {
  rows: readonly SubjectRow[];
  before: ReadonlyMap<string, SubjectState>;
  after: ReadonlyMap<string, SubjectState>;
}

// What is not compared by then shows as `examined` below `total`; the response has 40 seconds.
const COMPARING_MS = 25_000;

/** Creates the function that returns the subjects that a change affects, and how many it compared. */
function createDifferences({ visibility, knownTo }: PreviewsDependencies, comparingMs: number) {
  /** Creates the function that returns what the viewer knows of a subject's lists. */
  async function knownIn(caller: SessionPrincipal, scope: Scope) {
    const runs_in = scope === 'personal' ? null : scope.organization_id;
    const person = { kind: 'account', id: caller.person } as const;
    const own = await knownTo(caller, { owner: person, runs_in });
    if (runs_in === null) return () => own;
    // Another member's credentials may be in teams that the viewer is not in.
    const organization = { kind: 'organization', id: runs_in } as const;
    const others = await knownTo(caller, { owner: organization, runs_in });
    return (account_id: string | null) => (account_id === caller.person ? own : others);
  }

  async function knownOf(caller: SessionPrincipal, view: View | null, { isKnown, until }: Known) {
    if (view === null) return NO_ITEMS;
    const leftMs = Math.max(1, Math.ceil(until - performance.now()));
    await visibility.precomputed(caller.person, view, leftMs);
    return inTurns(caller.person, knownItems(visibility, { view, isKnown }));
  }

  async function differenceBetween(
    caller: SessionPrincipal,
    [earlier, later]: readonly [SubjectState, SubjectState],
    compared: Compared,
    known: Known,
  ) {
    const before = await knownOf(caller, earlier.view, known);
    const lists = differenceOf(before, await knownOf(caller, later.view, known), MAX_ITEMS);
    const { gained, lost, counts } = lists;
    return {
      gained: {
        permissions: permissionsIn(compared, later.relations, earlier.relations),
        ...{ items: gained, counts: counts.gained },
      },
      lost: {
        permissions: permissionsIn(compared, earlier.relations, later.relations),
        ...{ items: lost, counts: counts.lost },
      },
    };
  }

  return async (caller: SessionPrincipal, scope: Scope, { rows, before, after }: Around) => {
    const isKnownOf = await knownIn(caller, scope);
    const until = performance.now() + comparingMs;
    const effects: Pick<ChangePreview, 'gained' | 'lost'> = { gained: [], lost: [] };
    let examined = 0;
    for (const { kind, id, name, account_id } of rows) {
      const [earlier, later] = [before.get(id), after.get(id)];
      if (earlier === undefined || later === undefined) continue;
      const known = { isKnown: isKnownOf(account_id), until };
      const states = [earlier, later] as const;
      const difference = await differenceBetween(caller, states, comparedIn(scope), known).catch(
        (error: unknown) => {
          if (performance.now() < until) throw error;
          return null;
        },
      );
      if (difference === null) break;
      examined += 1;
      const subject = { kind: KINDS[kind], id, name, account_id };
      const [gained, lost] = [difference.gained, difference.lost];
      if (isEffect(gained)) effects.gained.push({ subject, ...gained });
      if (isEffect(lost)) effects.lost.push({ subject, ...lost });
    }
    return { ...effects, examined };
  };
}

interface Known {
  isKnown: IsKnown;
  /** When comparing ends, in the time of `performance.now()`. */
  until: number;
}

const NO_ITEMS: KnownItems = { tool: [], prompt: [], resource: [], agent: [] };

const NO_EFFECTS = { gained: [], lost: [] };

/** The kinds of subjects as the access explorer names them. */
const KINDS = {
  member: 'member',
  api_key: 'key',
  org_key: 'organization_key',
  connection: 'connection',
  machine: 'client',
} as const satisfies Record<SubjectRow['kind'], AccessEffect['subject']['kind']>;

const isEffect = ({ permissions, counts }: Pick<AccessEffect, 'permissions' | 'counts'>): boolean =>
  permissions.length > 0 || Object.values(counts).some((count) => count > 0);
