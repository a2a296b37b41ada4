import { expect, test } from 'vitest';
import { startEndpoint } from './endpoint.ts';

const ids = {
  reviewer: '0190cccc-0000-7000-8000-000000000001',
  hidden: '0190cccc-0000-7000-8000-000000000002',
  deleted: '0190cccc-0000-7000-8000-000000000003',
};
const agent = (name: 'reviewer' | 'hidden') => ({
  id: ids[name],
  space_id: '0190aaaa-0000-7000-8000-000000000001',
  family: 'agent' as const,
  name,
  version: 1,
  head: {
    description: `Is ${name}.`,
    components: [
      { name: 'always', when: null },
      { name: 'with_tools', when: { capability: 'tools' } },
      { name: 'with_hidden', when: { agent: ids.hidden } },
      { name: 'with_itself', when: { agent: ids.reviewer } },
    ],
  },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  organization_wide: null,
});

/** One agent that the key can use, and one that its policy excludes. */
const endpointOptions = {
  items: [agent('reviewer'), agent('hidden')],
  agent_policy: { mode: 'blacklist', agents: [ids.hidden] },
};

const assignments = {
  none: null,
  available: ids.reviewer,
  excluded: ids.hidden,
  deleted: ids.deleted,
};
type Assignment = keyof typeof assignments;

const disabled = 'disabled disabled';
const assigned: Record<Assignment, string> = {
  none: 'selection_available available',
  available: 'assigned reviewer not_requested',
  excluded: 'assignment_unavailable not_requested',
  deleted: 'assignment_unavailable not_requested',
};
const listed: Record<Assignment, string> = {
  none: 'selection_available available',
  available: 'assigned reviewer available',
  excluded: 'assignment_unavailable available',
  deleted: 'assignment_unavailable available',
};

const primary = { primary_agent: true };
const subagent = (agent_selection: string) => ({ primary_agent: false, agent_selection });
const withCatalog = { request_agent_catalog: true };

/**
 * Each row: the arguments; the result with the Agents capability, either one for all assignments or
 * one per assignment; the result without that capability.
 */
const table: [object, string | Record<Assignment, string>, string][] = [
  [primary, assigned, disabled],
  [{ ...primary, ...withCatalog }, listed, disabled],
  [{ ...primary, agent_name: 'reviewer' }, 'selected reviewer not_requested', 'capability_denied'],
  [
    { ...primary, ...withCatalog, agent_name: 'reviewer' },
    'selected reviewer available',
    'capability_denied',
  ],
  [{ ...primary, agent_name: 'hidden' }, '-32601', 'capability_denied'],
  [{ ...primary, agent_name: 'nobody' }, '-32601', 'capability_denied'],
  [subagent('self'), 'selection_available available', disabled],
  [subagent('none'), 'none not_requested', disabled],
  [{ ...subagent('none'), ...withCatalog }, 'none available', disabled],
  [
    { ...subagent('named'), agent_name: 'reviewer' },
    'selected reviewer not_requested',
    'capability_denied',
  ],
  [
    { ...subagent('named'), ...withCatalog, agent_name: 'reviewer' },
    'selected reviewer available',
    'capability_denied',
  ],
  [{ ...subagent('named'), agent_name: 'hidden' }, '-32601', 'capability_denied'],
  [{ ...subagent('named'), agent_name: 'nobody' }, '-32601', 'capability_denied'],
];

test.each(Object.entries(assignments))(
  'bootstrap returns the right status for all arguments, with and without Agents (assignment: %s) (B1-B5, K2)',
  async (assignment, default_agent_id) => {
    for (const [args, withAgents, without] of table)
      for (const capabilities of [['agents'], []] as ('agents' | 'tools')[][]) {
        const { call } = await startEndpoint({
          ...endpointOptions,
          capabilities,
          default_agent_id,
        });
        const { body } = await call('bootstrap', args);
        const expected =
          typeof withAgents === 'string' ? withAgents : withAgents[assignment as Assignment];

        expect(summaryOf(body), JSON.stringify(args)).toBe(
          capabilities.length > 0 ? expected : without,
        );
        expect(JSON.stringify(body)).not.toMatch(/hidden|0190cccc/);
      }
  },
);

const padded = (number: number) => String(number).padStart(3, '0');
const manyAgents = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...agent('reviewer'),
    id: `0190cccc-0000-7000-8000-000000001${padded(index)}`,
    name: `agent-${padded(index)}`,
  })).toReversed();

test('a long agent catalog comes in pages that list each agent once and count the rest', async () => {
  const items = manyAgents(450);
  const agent_policy = { mode: 'blacklist', agents: [items[0]!.id] };
  const { call } = await startEndpoint({ items, agent_policy, capabilities: ['agents'] });
  const parts: { agents: { name: string }[]; more?: { count: number } }[] = [];
  let nextArguments: object = primary;
  do {
    const { catalog } = (await call('bootstrap', nextArguments)).body.result.structuredContent;
    parts.push(catalog);
    const after = catalog.more?.agent_catalog_after;
    nextArguments =
      after === undefined ? primary : { ...subagent('none'), agent_catalog_after: after };
  } while (nextArguments !== primary && parts.length < 10);

  expect(parts.map(({ agents, more }) => [agents.length, more?.count])).toEqual([
    [200, 249],
    [200, 49],
    [49, undefined],
  ]);
  const names = parts.flatMap(({ agents }) => agents.map(({ name }) => name));
  expect(names).toEqual(
    manyAgents(449)
      .map(({ name }) => name)
      .toReversed(),
  );
});

test('a part after the last agent is empty and has no `more`', async () => {
  const { call } = await startEndpoint({ items: manyAgents(3), capabilities: ['agents'] });

  for (const after of ['agent-002', 'zzz']) {
    const { body } = await call('bootstrap', {
      ...subagent('none'),
      agent_catalog_after: after,
    });

    expect(body.result.structuredContent.catalog).toEqual({ status: 'available', agents: [] });
  }
});

test('a catalog that fits in one part has no `more`', async () => {
  const { call } = await startEndpoint({ items: manyAgents(200), capabilities: ['agents'] });
  const { body } = await call('bootstrap', primary);

  expect(Object.keys(body.result.structuredContent.catalog)).toEqual(['status', 'agents']);
});

/** Returns status, name and catalog in one line, or the code of the refusal. */
function summaryOf(
  body: Awaited<ReturnType<Awaited<ReturnType<typeof startEndpoint>>['call']>>['body'],
) {
  const answer = body.result?.structuredContent;
  if (answer === undefined) return String(body.error.code);
  if (answer.error !== undefined) return answer.error.code;
  const { agent: role, catalog } = answer;
  if (catalog.status === 'available')
    expect(catalog.agents).toEqual([{ name: 'reviewer', description: 'Is reviewer.' }]);
  if (role.name !== undefined) expect(role.components).toEqual(['always', 'with_itself']);
  return [role.status, role.name, catalog.status].filter(Boolean).join(' ');
}
