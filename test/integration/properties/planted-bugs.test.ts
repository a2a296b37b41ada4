import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AccessContext } from '../../../src/authz/authz.ts';
import type { SpaceContents, Visibility } from '../../../src/visibility/visibility.ts';
import type { VisibilityDependencies } from '../../../src/visibility/visibility.ts';
import { createJoins } from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { CAPABILITIES } from '../../support/worlds/worlds.ts';
import { smallCatalog } from './agents-reach.ts';
import { buildOrganization } from './built-organization.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { runCommand } from './organization-commands.ts';
import { compareKeys, oracleWorld, PEOPLE } from './organization-comparison.ts';
import type { OrganizationPlan } from './organization-plans.ts';
import { builtIns, createStage } from './stage.ts';
import type { Stage } from './stage.ts';

type Create = (dependencies: VisibilityDependencies) => Visibility;
type Plant = (create: Create, dependencies: VisibilityDependencies) => Visibility;

const planted = vi.hoisted(() => ({ bug: null as unknown }));

// Wraps the real module: without a bug, the gateways of this file are the real ones.
vi.mock('../../../src/visibility/visibility.ts', async (importOriginal) => {
  const original = await importOriginal<{ createVisibility: Create }>();
  return {
    ...original,
    createVisibility: (dependencies: VisibilityDependencies) =>
      planted.bug === null
        ? original.createVisibility(dependencies)
        : (planted.bug as Plant)(original.createVisibility, dependencies),
  };
});

let stage: Stage;
let joins: Joins;
let built: BuiltOrganization;
beforeAll(async () => {
  stage = await createStage(PEOPLE);
  joins = await createJoins(stage.gateways[0]);
  const [owner, ...members] = stage.tenants;
  built = await buildOrganization({ owner: owner!, members }, plan, {
    ...{ joins, oracleWorld, upstream: stage.upstream },
  });
}, 120_000);
afterAll(async () => {
  await joins?.close();
  await stage?.close();
});

const [one = '', two = '', three = ''] = builtIns.tools;
const items = (['prompts', 'resources', 'agents', 'tools'] as const).map((family) => ({
  ...{ family, conditions: [] },
  name: { prompts: 'brief', resources: 'notes', agents: 'scout', tools: 'lookup' }[family],
}));
const capabilities = [...CAPABILITIES];
const exposes = (id: string) => ({
  policies: { tools: { mode: 'whitelist' as const, own: [], builtIns: [id] } },
  items,
});
const key = { isConnection: false, capabilities, teams: null, defaultAgent: null };

/** Two people, each in one of two teams that admit different tools; one tool is not selected. */
const plan: OrganizationPlan = {
  selected: { tools: [one, two], prompts: [] },
  designated: { builtIn: [], catalog: items.map(() => false) },
  catalog: items,
  teams: [exposes(one), exposes(two)],
  members: [
    { me: items, capabilities, seats: [capabilities, null], managesEvery: false },
    { me: items, capabilities, seats: [null, capabilities], managesEvery: false },
  ],
  keys: [
    { ...key, member: 0 },
    { ...key, member: 1, teams: [1] },
    { ...key, member: null, teams: [0] },
  ],
  commands: [],
};

/** Starts another gateway of the same servers, with a bug. */
async function gatewayWith(bug: Plant | null) {
  planted.bug = bug;
  try {
    return await stage.world.gateway({ overrides: { catalog: smallCatalog } });
  } finally {
    planted.bug = null;
  }
}

/** Changes what visibility reads. */
const reading =
  (change: (dependencies: VisibilityDependencies) => Partial<VisibilityDependencies>): Plant =>
  (create, dependencies) =>
    create({ ...dependencies, ...change(dependencies) });

const changingContents = (
  change: (
    contents: SpaceContents,
    read: VisibilityDependencies['readContents'],
  ) => SpaceContents | Promise<SpaceContents>,
) =>
  reading(({ readContents }) => ({
    readContents: async (space_id) => change(await readContents(space_id), readContents),
  }));

const changingContext = (
  change: (context: AccessContext, seats: readonly string[]) => AccessContext,
) =>
  reading(({ authz }) => ({
    authz: {
      ...authz,
      context: async (caller, seats = []) => change(await authz.context(caller, seats), seats),
    },
  }));

const bugs: [what: string, bug: Plant][] = [
  [
    'applies the rules only to lists',
    (create, dependencies) => ({
      ...create(dependencies),
      decide: () => ({ outcome: 'allowed' }),
    }),
  ],
  [
    'ignores which teams a credential is active in',
    reading(({ authz, organizations }) => ({
      authz: {
        ...authz,
        context: async (caller, seats = []) => ({
          ...(await authz.context(caller, seats)),
          active: new Set(seats),
        }),
      },
      organizations: {
        ...organizations,
        seatsOf: async () => built.teams.map(({ id }) => id),
      },
    })),
  ],
  [
    'reads the items of a space without the predicate on its owner',
    changingContents(async (contents, read) => {
      const others = await Promise.all(built.teams.map(({ id }) => read(id)));
      const [space] = contents.items;
      const found = others.flatMap(({ items: all }) => all);
      return space === undefined
        ? contents
        : {
            ...contents,
            items: [
              ...contents.items,
              ...found
                .filter(({ id }) => !contents.items.some((item) => item.id === id))
                .map((item) => ({ ...item, space_id: space.space_id })),
            ],
          };
    }),
  ],
  [
    'ignores the selection',
    changingContents((contents) => ({ ...contents, selected_tools: new Set([one, two, three]) })),
  ],
  [
    'gives every credential all capabilities',
    changingContext((context) => ({ ...context, capabilities: new Set(['tools', 'agents']) })),
  ],
];

/** What a comparison throws; an outage on a busy machine throws other errors. */
const difference = { name: 'AssertionError' };

test('without a bug, the comparison of this world finds no difference', async () => {
  await compareKeys([built], await gatewayWith(null));
}, 60_000);

test.each(bugs)(
  'the comparison with the oracle fails at a gateway that %s (rel:5)',
  async (_what, bug) => {
    const gateway = await gatewayWith(bug);

    await expect(compareKeys([built], gateway)).rejects.toMatchObject(difference);
  },
  60_000,
);

test('the comparison fails at a gateway that caches decisions without the revision of authority (rel:5)', async () => {
  const known = new Map<string, AccessContext>();
  const stale = await gatewayWith(
    reading(({ authz }) => ({
      authz: {
        ...authz,
        async context(caller, seats) {
          const found = known.get(caller.subject) ?? (await authz.context(caller, seats));
          known.set(caller.subject, found);
          return found;
        },
      },
    })),
  );
  await compareKeys([built], stale);

  await runCommand(built, { does: 'leave team', member: 0, team: 0 });

  await compareKeys([built], stage.gateways[1]);
  await expect(compareKeys([built], stale)).rejects.toMatchObject(difference);
}, 60_000);
