import type { Authority } from '../../caller/actor.ts';
import { throwIfAny } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { createCurrent, idsOf } from './current.ts';
import type { OrganizationMcpSettings } from './schema.ts';
import type { SelectionDependencies } from './selection.ts';
import { designate, readDesignated, readSelection, replaceSelection } from './store.ts';
import { throwIfNameTaken } from './taken-names.ts';

/**
 * The built-in items that an organization selected, and which of them are organization-wide: its
 * credentials can access the others only if a team's policy allows it (S8).
 */
export interface Designation {
  settings(organization_id: string): Promise<OrganizationMcpSettings>;
  replace(
    organization_id: string,
    settings: OrganizationMcpSettings,
    by: Authority,
  ): Promise<OrganizationMcpSettings>;
}

// One problem for each of a thousand entries would make the response larger than the request.
const MAX_PROBLEMS = 20;

export function createDesignation({
  database,
  authz,
  catalog,
}: SelectionDependencies): Designation {
  const current = createCurrent(catalog);

  // Items that are no longer current are left out, so that a response is a valid request.
  async function read(connection: Connection, space_id: string): Promise<OrganizationMcpSettings> {
    const selected = await readSelection(connection, space_id);
    const designated = await readDesignated(connection, space_id);
    const [tools, prompts] = [idsOf(current.tools()), idsOf(current.prompts())];
    return {
      tools: tools.filter((id) => selected.tools.has(id)),
      organization_wide_tools: tools.filter((id) => designated.tools.has(id)),
      platform_prompts: prompts.filter((id) => selected.platform_prompts.has(id)),
      organization_wide_prompts: prompts.filter((id) => designated.platform_prompts.has(id)),
    };
  }

  return {
    settings: (organization_id) => read(database.pool, organization_id),
    async replace(organization_id, settings, by) {
      const { tools, platform_prompts } = settings;
      const problems = current.problems({ tools, platform_prompts }, 'id');
      throwIfAny([...problems, ...notSelected(settings)], MAX_PROBLEMS);
      const [after] = await authz.editContent({
        ...by,
        reason: 'mcp_settings.update',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [{ type: 'organization', id: organization_id }],
        async work(transaction) {
          const before = await read(transaction, organization_id);
          await throwIfNameTaken(transaction, organization_id, {
            settings: { tools, platform_prompts },
            current: { tools: current.tools(), platform_prompts: current.prompts() },
          });
          await replaceSelection(transaction, organization_id, { tools, platform_prompts });
          await designate(transaction, organization_id, {
            tools: settings.organization_wide_tools,
            platform_prompts: settings.organization_wide_prompts,
          });
          return [await read(transaction, organization_id), before] as const;
        },
        detail: ([saved, before]) => ({ before, after: saved }),
      });
      return after;
    },
  };
}

/** Returns a problem for each designated item that is not part of the selection. */
function notSelected(settings: OrganizationMcpSettings): Problem[] {
  const pairs = [
    ['organization_wide_tools', 'tools'],
    ['organization_wide_prompts', 'platform_prompts'],
  ] as const;
  return pairs.flatMap(([wide, selection]) => {
    const selected = new Set(settings[selection]);
    return settings[wide].flatMap((id, index) =>
      selected.has(id)
        ? []
        : [
            {
              code: 'not_selected' as const,
              message: `Select the item in \`${selection}\` first.`,
              detail: { pointer: `/${wide}/${index}` },
            },
          ],
    );
  });
}
