import { setTimeout } from 'node:timers/promises';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { capabilities } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import { families } from '../../content/items/schema.ts';
import { admittedView } from '../../keys/keys.ts';
import { ConcurrentUpdate } from '../../authz/authz.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { View } from '../../visibility/visibility.ts';
import { OPEN, runsIn } from '../access.ts';
import type { Look } from '../look.ts';
import type { Found } from '../subjects/found.ts';
import { teamClass, teamsToDecide } from '../permissions/holders.ts';
import { candidateTeams } from '../subjects/record.ts';
import type { SubjectRow } from '../subjects/store.ts';
import { nameOf } from './revisions.ts';
import type { Moved } from './revisions.ts';

/** An item outside of members' own spaces; the space is null for a built-in one. */
export type ReviewedItem = readonly [
  family: keyof Counts,
  id: string,
  name: string,
  space_id: string | null,
];

export interface Counts {
  tools: number;
  prompts: number;
  resources: number;
  agents: number;
}

/** What a credential, or a member, can use. */
export interface Reached {
  capabilities: readonly Capability[];
  items: readonly ReviewedItem[];
  /** Items of the person's own space. */
  own: Counts;
}

interface Decided {
  /** The subject that was decided about, by `nameOf`. */
  by: string;
  /** Whether it also depends on items. */
  onContent: boolean;
  value: Promise<unknown>;
}

const plural = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const;
const NO_ITEMS: Counts = { tools: 0, prompts: 0, resources: 0, agents: 0 };

/**
 * Creates decisions about classes of subjects: each is made once, about the first subject of its class
 * that asks, and made again if that subject or its organization has changed since.
 */
export function createClasses() {
  const decided = new Map<string, Decided>();

  /** Returns the decision about a class. */
  function once<Value>(
    name: string,
    { row, onContent }: { row: SubjectRow; onContent: boolean },
    decide: () => Promise<Value>,
  ): Promise<Value> {
    const known = decided.get(name);
    if (known !== undefined) return known.value as Promise<Value>;
    const value = patiently(decide);
    const one = { by: nameOf(row), onContent, value };
    decided.set(name, one);
    value.catch(() => decided.get(name) === one && decided.delete(name));
    return value;
  }

  return {
    once,
    /** Forgets the decisions that depend on what has moved. */
    forget({ authority, content, subjects }: Moved): void {
      for (const [name, { by, onContent }] of decided)
        if (authority || (content && onContent) || subjects.has(by)) decided.delete(name);
    },
  };
}
export type Classes = ReturnType<typeof createClasses>;

// A review takes long, and must not fail because the store was busy for a moment.
const WAITS_MS = [100, 300, 1_000, 2_000, 3_000];

/** Decides again when the store did not answer in time. */
async function patiently<Value>(decide: () => Promise<Value>): Promise<Value> {
  for (const ms of WAITS_MS)
    try {
      return await decide();
    } catch (error) {
      if (!isRefusal(error) || error.kind !== 'unavailable') throw error;
      await setTimeout(ms);
    }
  return decide();
}

/** Creates the decisions about subjects that one look makes; `classes` has those of earlier looks. */
export function createDecisions(look: Look, { once }: Classes, withItems: ReadonlySet<string>) {
  const { organization_id } = look;
  const all = [...look.teams.keys()];
  const principalOf = createPrincipals(look);
  // Each decides about some fifty relations: at once, they would delay each other and live calls.
  const oneByOne = createSemaphore({ maxConcurrent: 1, maxQueued: Number.POSITIVE_INFINITY });

  const capabilitiesOfMember = createCapabilities(look, { once, oneByOne, principalOf });

  const permissionsIn = (row: SubjectRow, team_id: string | null) =>
    once(
      team_id === null ? `permissions ${row.home}` : `permissions ${teamClass(row, team_id)}`,
      { row, onContent: false },
      async () => {
        const { principal } = await principalOf(row);
        return oneByOne(() => look.permissionsIn(principal, team_id));
      },
    );

  async function viewOf(row: SubjectRow): Promise<View | null> {
    const { principal, agent, credential } = await principalOf(row);
    if (agent !== null)
      return runsIn(agent, organization_id)
        ? oneByOne(() => admittedView(credential!, look.visibility.view))
        : null;
    const held = await capabilitiesOfMember(row);
    const { scopes, credential: session, person } = principal;
    const place = { scopes, credential: session, person, team_ids: null };
    const draft = await look.visibility.draftsIn(place);
    const view = draft({ ...OPEN, mcp_capabilities: held });
    return look.visibility.precomputed(organization_id, view);
  }

  async function reach(row: SubjectRow): Promise<Reached> {
    const view = await viewOf(row);
    return view === null ? NOTHING : reachedBy(look, view);
  }

  return {
    /** Returns what a subject has in the organization and in its teams. */
    async permissionsOf(row: SubjectRow) {
      const inTeams = await Promise.all(
        teamsToDecide(row, all).map(async (id) => ({
          team: { id, name: look.teams.get(id)! },
          permissions: await permissionsIn(row, id),
        })),
      );
      return {
        permissions: await permissionsIn(row, null),
        team_permissions: inTeams.filter(({ permissions }) => permissions.length > 0),
      };
    },
    /** Returns what a subject can use; people with items of their own are decided about one by one. */
    reachOf: (row: SubjectRow): Promise<Reached> =>
      row.account_id !== null && withItems.has(row.account_id)
        ? once(`reach of ${nameOf(row)}`, { row, onContent: true }, () => reach(row))
        : once(`reach ${row.reach}`, { row, onContent: true }, () => reach(row)),
  };
}

/** Creates the function that returns a subject as a principal, read once. */
function createPrincipals(look: Look) {
  const principals = new Map<string, Promise<Found>>();
  return function principalOf(row: SubjectRow): Promise<Found> {
    const name = nameOf(row);
    const known = principals.get(name);
    if (known !== undefined) return known;
    const reading = look.find([row]).then((found) => {
      const one = found.get(row.id);
      // Its row has changed since: the next look finds that.
      if (one === undefined) throw new ConcurrentUpdate();
      return one;
    });
    principals.set(name, reading);
    reading.catch(() => principals.delete(name));
    return reading;
  };
}

interface Deciding extends Pick<Classes, 'once'> {
  oneByOne: ReturnType<typeof createSemaphore>;
  principalOf(row: SubjectRow): Promise<Found>;
}

/** Creates the function that returns the capabilities of a member's roles, in all their teams too. */
function createCapabilities(look: Look, { once, oneByOne, principalOf }: Deciding) {
  const { organization_id } = look;

  /** Returns the capabilities that a member's roles have, or those in a team. */
  const capabilitiesIn = (row: SubjectRow, team_id: string | null) =>
    once(
      team_id === null ? `capabilities ${row.home}` : `capabilities ${teamClass(row, team_id)}`,
      { row, onContent: false },
      async () => {
        const { principal } = await principalOf(row);
        const object =
          team_id === null
            ? contextIn('organization', principal, { organization_id })!
            : teamSeatIn(principal, { team_id })!;
        const checks = capabilities.map((name) => ({ object, relation: `role_mcp_${name}` }));
        const answers = await oneByOne(() => look.checkEach(principal, checks));
        return new Set(capabilities.filter((_, index) => answers[index]));
      },
    );

  return async function capabilitiesOfMember(row: SubjectRow): Promise<readonly Capability[]> {
    const places = [null, ...candidateTeams(row, [])];
    const held = await Promise.all(places.map((team_id) => capabilitiesIn(row, team_id)));
    return capabilities.filter((name) => held.some((names) => names.has(name)));
  };
}

const NOTHING: Reached = { capabilities: [], items: [], own: NO_ITEMS };

/** Returns what a view can use; items of the person's own space are only counted. */
function reachedBy(look: Look, view: View): Reached {
  const { organization_id } = look;
  const own = { ...NO_ITEMS };
  const items: ReviewedItem[] = [];
  for (const family of families)
    for (const { id, name, space_id } of look.visibility.list(view, family)) {
      const isShared =
        space_id === null || space_id === organization_id || look.teams.has(space_id);
      if (isShared) items.push([plural[family], id, name, space_id]);
      else own[plural[family]] += 1;
    }
  const held = capabilities.filter((name) => view.capabilities.has(name));
  return { capabilities: held, items, own };
}
