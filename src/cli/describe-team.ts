import { ORGANIZATION, ROLE, SHARED_TOOL, TEAM } from './team-quickstart.ts';
import type { TeamQuickstart } from './team-quickstart.ts';

const SYSTEM_TOOLS = ['setup', 'bootstrap', 'agent_context'];

/** Describes what was created, which tools each key sees, and why. */
export function describeTeam(created: TeamQuickstart, endpoint: string): string {
  const { ada, ben, keys } = created;
  const seen = new Set(keys.flatMap(({ tools }) => tools));
  const names = [...seen].filter((name) => !SYSTEM_TOOLS.includes(name)).toSorted();
  const rows = names.map((name) => [
    name,
    ...keys.map(({ tools }) => (tools.includes(name) ? 'yes' : 'no')),
    reasonFor(name),
  ]);
  return [
    '',
    ...table([
      ['Organization', ORGANIZATION],
      ['Team', TEAM],
      ['Ada', `${ada.email}, password ${ada.password}`],
      ['', `Owner; created the team, so she is its team_admin`],
      ['Ben', `${ben.email}, password ${ben.password}`],
      ['', `invited to the team; roles Member and ${ROLE}`],
      ['MCP', endpoint],
    ]),
    '',
    'Ids, for requests:',
    '',
    ...table([
      ['organization_id', created.organization_id],
      ['team_id', created.team_id],
      ['account_id', `${ben.account_id}  Ben`],
      ...keys.map(({ id, name }) => ['key_id', `${id}  ${name}`]),
    ]),
    '',
    'What each key sees, and why:',
    '',
    ...table([['', ...keys.map(({ name }) => name), ''], ...rows]),
    '',
    `Every key also sees ${SYSTEM_TOOLS.join(', ')}.`,
    '',
    'The keys. They and the passwords are shown only once: store them now.',
    '',
    ...table(keys.map(({ name, secret }) => [name, secret])),
    '',
  ].join('\n');
}

/** Explains who sees a tool: its prefix says who owns it. */
function reasonFor(name: string): string {
  if (name.startsWith('me__')) return 'Ben’s own tool: only he gets it';
  if (name.startsWith(`${TEAM}__`)) return `${TEAM}’s own tool: its members get it`;
  if (name === SHARED_TOOL) return 'built in, selected for the whole organization';
  return `built in, selected and admitted by ${TEAM}`;
}

/** Aligns columns. */
function table(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
