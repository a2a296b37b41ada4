import type { BuiltOrganization } from './built-organization.ts';
import { findItem, policyOf } from './drafts.ts';
import { itemPath } from './item-content.ts';
import type { OrganizationCommand } from './organization-plans.ts';

type CommandOf<Name> = Extract<OrganizationCommand, { does: Name }>;

/** Carries out a command in the service, over REST, and in the oracle. */
export async function runCommand(built: BuiltOrganization, one: OrganizationCommand) {
  if (one.does === 'leave team') await leaveTeam(built, one);
  else if (one.does === 'policy') await changePolicy(built, one);
  else if (one.does === 'select') await select(built, one);
  else if (one.does === 'promote') await promote(built, one);
  else if (one.does === 'leave') await leave(built, one);
  else await built.setCapabilities(one.member, one.capabilities);
}

async function leaveTeam(built: BuiltOrganization, one: CommandOf<'leave team'>) {
  const [{ person, oracle, hasLeft }, team] = [built.members[one.member]!, built.teams[one.team]!];
  if (hasLeft || (oracle.seats.get(team) ?? null) === null) return;
  const path = `${team.space.path}/members/${person.account_id}`;
  await built.requireStatus(built.owner, 204, { method: 'DELETE', path });
  // A person who may manage every team keeps the keys that are bound to it.
  if (built.plan.members[one.member]!.managesEvery) oracle.seats.set(team, null);
  else oracle.seats.delete(team);
}

async function changePolicy(built: BuiltOrganization, one: CommandOf<'policy'>) {
  const { family } = one;
  const team = built.teams[one.team]!;
  const policy = policyOf(built.catalog.items, family, one.policy);
  const path = `${team.space.path}/policies/${family.slice(0, -1)}`;
  await built.requireStatus(built.owner, 200, { method: 'PUT', path, body: policy });
  team.policies[family] = policy;
}

async function select(
  { requireStatus, owner, base, organization }: BuiltOrganization,
  one: CommandOf<'select'>,
) {
  const { tools, prompts } = one.selected;
  const before = organization.organizationWide;
  const wide = (ids: readonly string[]) => ids.filter((id) => before.has(id));
  const body = {
    tools,
    platform_prompts: prompts,
    organization_wide_tools: wide(tools),
    organization_wide_prompts: wide(prompts),
  };
  await requireStatus(owner, 200, { method: 'PUT', path: `${base}/mcp-settings`, body });
  const after = new Set([...tools, ...prompts]);
  for (const id of organization.selected)
    if (!after.has(id)) organization.organizationWide.delete(id);
  organization.selected = after;
}

/** Promotes an item of a team to the catalog, unless its name is taken there. */
async function promote(
  { requireStatus, owner, catalog, teams, keys }: BuiltOrganization,
  one: CommandOf<'promote'>,
) {
  const { space } = teams[one.team]!;
  const all = (['tools', 'prompts', 'resources'] as const).flatMap((family) =>
    space.items[family].map((item) => ({ family, item })),
  );
  if (all.length === 0) return;
  const { family, item } = all[one.item % all.length]!;
  const isTaken = findItem(catalog.items, family, item.name) !== undefined;
  const path = `${itemPath(family, space.path)}/${item.id}/promote`;
  await requireStatus(owner, isTaken ? 409 : 200, { method: 'POST', path });
  if (isTaken) return;
  space.items[family].splice(space.items[family].indexOf(item), 1);
  catalog.items[family].push(item);
  // Its texts keep the marker of the team.
  for (const key of keys) key.own.push(space.marker);
}

async function leave({ requireStatus, base, members }: BuiltOrganization, one: CommandOf<'leave'>) {
  const member = members[one.member]!;
  if (member.hasLeft) return;
  const path = `${base}/members/${member.person.account_id}`;
  await requireStatus(member.person, 204, { method: 'DELETE', path });
  member.hasLeft = true;
}
