import { expect } from 'vitest';
import type { Gateway } from '../../support/worlds/world.ts';
import { pool } from '../../support/worlds/worlds.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';
import { oracleCatalog } from './agents-reach.ts';
import type { BuiltOrganization, OrganizationKey } from './built-organization.ts';
import { compareKey, compareLists } from './comparison.ts';
import type { Compared } from './comparison.ts';
import { teamNames } from './organization-plans.ts';
import { createReader } from './reader.ts';

const spaces = ['me', ...teamNames, 'green'];

/** Every name that an item of the pool could have in some space. */
const everyName = (family: ItemFamily): readonly string[] => {
  if (family === 'resources')
    return ['me', 'org', ...spaces.slice(1).map((team) => `team/${team}`)].flatMap((space) =>
      pool.resources.map((path) => `${space}/${path}`),
    );
  const separator = family === 'tools' ? '__' : '/';
  const prefixes = ['', ...spaces.map((space) => `${space}${separator}`)];
  return prefixes.flatMap((prefix) => pool[family].map((name) => `${prefix}${name}`));
};
const names = {
  tools: everyName('tools'),
  prompts: everyName('prompts'),
  resources: everyName('resources'),
  agents: everyName('agents'),
};

/** The oracle's world for organizations: an Owner and two members, with empty personal spaces. */
export const PEOPLE = 3;
const emptySettings = { active: true, selected: new Set<string>() };
const noItems = { tools: [], prompts: [], resources: [], agents: [] };
export const oracleWorld = {
  ...oracleCatalog,
  accounts: Array.from({ length: PEOPLE }, () => ({ ...emptySettings, ...noItems })),
};

/** Expects that a key of a person who has left gets a 404, like a stranger (A6). */
async function expectNotFound({ secret }: OrganizationKey, gateway: Gateway) {
  for (const era of ['2026', '2025'] as const) {
    const response = await createReader(secret, era).exchange(gateway, 'tools/list', {});
    expect(response.status).toBe(404);
  }
}

/**
 * Compares every key on a gateway with the oracle: completely if `isComplete` returns true for its
 * number, with `compare` if it is given, otherwise only its lists. Spaces that a key may not act in are foreign.
 */
export async function compareKeys(
  organizations: readonly BuiltOrganization[],
  at: Gateway,
  isComplete: (number: number) => boolean = () => true,
  compare: (compared: Compared) => Promise<void> = compareKey,
) {
  const markers = organizations.flatMap((one) => one.markers);
  const keys = organizations.flatMap(({ members, keys: all }) =>
    all.map((key) => ({
      key,
      hasLeft: key.memberIndex !== null && members[key.memberIndex]!.hasLeft,
    })),
  );
  for (const [number, { key, hasLeft }] of keys.entries()) {
    if (hasLeft) {
      await expectNotFound(key, at);
      continue;
    }
    const reader = createReader(key.secret, number % 2 === 0 ? '2026' : '2025', 'toolgate://');
    const foreign = markers.filter((marker) => !key.own.includes(marker));
    const compared = { oracleWorld, key: key.oracle, names, reader, at, foreign };
    if (isComplete(number)) await compare(compared);
    else await compareLists(compared);
  }
}
