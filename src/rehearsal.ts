import type { Authz, Rehearsed } from './authz/authz.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Content } from './content/content.ts';
import { readDesignated } from './content/selection/store.ts';
import { createContentsReader } from './content/spaces/spaces.ts';
import { createCredentialFinder } from './credentials/credentials.ts';
import type { Credential } from './credentials/credentials.ts';
import { admittedView } from './keys/admitted-view.ts';
import type { Keys } from './keys/keys.ts';
import { createPreviews } from './previews/previews.ts';
import type { PreviewsDependencies } from './previews/previews.ts';
import { listTeamIdsOf } from './organizations/teams/seats/store.ts';
import { listPolicies } from './organizations/teams/store.ts';
import { policiesOf } from './policies/item-policies.ts';
import { hotQueriesIn } from './platform/postgres/database.ts';
import type { Database, Transaction } from './platform/postgres/database.ts';
import { createVisibility } from './visibility/visibility.ts';
import type {
  Compare,
  StatesAround,
  Subject,
  SubjectState,
  View,
  ViewsAround,
} from './visibility/visibility.ts';

interface RehearsalDependencies {
  authz: Pick<Authz, 'rehearse'>;
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'version'>;
  content: Pick<Content, 'runnable'>;
}

/**
 * Creates the function that returns what credentials would see: their views, built like those of
 * requests, from the rows of a transaction in which the change was made.
 */
export const createViewsAround =
  ({ authz, catalog, content }: RehearsalDependencies): ViewsAround =>
  (requested, ids) =>
    authz.rehearse(requested, async (transaction, decisions) => {
      const { runnable } = content;
      const visibility = visibilityIn(transaction, decisions, { catalog, runnable });
      const credentials = await createCredentialFinder(hotQueriesIn(transaction))(ids);
      const views = new Map<string, View>();
      // One after another: they share one connection.
      for (const [id, credential] of credentials)
        views.set(id, await admittedView(credential, visibility.fullView));
      return views;
    });

// The change holds its row locks while the states after it are read: for less than the two seconds
// that another change waits for them.
const BEFORE_MS = 3_000;
const AFTER_MS = 1_000;

/**
 * Creates the function that returns what many subjects see and may do, before and after a change.
 * Those that are not examined before the time is over are left out.
 */
const createStatesAround =
  ({ authz, catalog, content: { runnable } }: RehearsalDependencies): StatesAround =>
  (requested, subjects, compared) =>
    authz.rehearse<ReadonlyMap<string, SubjectState>>(
      requested,
      async (transaction, decisions, before) => {
        const until = performance.now() + (before === null ? BEFORE_MS : AFTER_MS);
        const visibility = visibilityIn(transaction, decisions, { catalog, runnable });
        const examined = subjects.filter(({ id }) => before?.has(id) ?? true);
        const ids = examined.flatMap(({ credential }) => credential ?? []);
        const credentials = await createCredentialFinder(hotQueriesIn(transaction))(ids);
        const states = new Map<string, SubjectState>();
        // One after another: they share one connection.
        for (const subject of examined) {
          if (performance.now() > until) break;
          const credential = credentials.get(subject.credential ?? '');
          states.set(subject.id, {
            view:
              subject.lists && credential !== undefined
                ? await admittedView(credential, visibility.fullView)
                : null,
            relations: await relationsOf(decisions, { subject, credential, compared }),
          });
        }
        return states;
      },
    );

/** Returns which of the compared relations a subject has; none if it is a credential that ended. */
async function relationsOf(
  decisions: Pick<Rehearsed, 'checkEach'>,
  parts: { subject: Subject; credential: Credential | undefined; compared: Compare },
): Promise<ReadonlySet<string>> {
  const { subject, credential, compared } = parts;
  const member = subject.member && { ...subject.member, scopes: [] };
  const caller = credential?.usable === true ? credential.principal : member;
  if (caller === null) return new Set();
  return compared(subject, async (object, relations) => {
    const checks = relations.map((relation) => ({ object, relation }));
    const answers = await decisions.checkEach(caller, checks);
    return new Set(relations.filter((_, index) => answers[index]));
  });
}

/** Creates the previews of changes that affect several credentials. */
export const createChangePreviews = ({
  keys: { knownTo },
  catalog,
  content,
  ...shared
}: Omit<PreviewsDependencies, 'knownTo' | 'statesAround'> &
  RehearsalDependencies & { keys: Pick<Keys, 'knownTo'> }) =>
  createPreviews({
    ...{ ...shared, knownTo },
    statesAround: createStatesAround({ authz: shared.authz, catalog, content }),
  });

/** Creates `visibility` over the rows as a transaction sees them now. */
function visibilityIn(
  transaction: Transaction,
  authz: Rehearsed,
  parts: Pick<RehearsalDependencies, 'catalog'> & Pick<Content, 'runnable'>,
) {
  // Rows are read once for all credentials.
  const database = { pool: transaction } as unknown as Pick<Database, 'pool'>;
  return createVisibility({
    ...{ ...parts, authz, cached: false },
    readContents: once(createContentsReader({ database })),
    organizations: {
      exposure: once(async (id) => {
        const { tools, platform_prompts } = await readDesignated(transaction, id);
        const teams = await listPolicies(transaction, id);
        return {
          designated: tools.union(platform_prompts),
          teams: teams.map(({ id: team, name, ...stored }) => ({
            ...{ id: team, name, policies: policiesOf(stored) },
          })),
        };
      }),
      seatsOf: (id) => listTeamIdsOf(transaction, id),
    },
  });
}

/** Reads each value once. */
function once<Value>(read: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (id) => {
    const value = known.get(id) ?? read(id);
    known.set(id, value);
    return value;
  };
}
