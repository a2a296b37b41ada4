import type { Authz } from '../../authz/authz.ts';
import { contextIn } from '../../caller/access.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import { absent, throwIfProblems } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { createSelectableItems, idsOf } from './selectable-items.ts';
import type {
  OrganizationCatalogPrompt,
  OrganizationCatalogTool,
  OrganizationMcpSettings,
} from './schema.ts';
import type { Selection, SelectionDependencies } from './selection.ts';
import { designate, readDesignated, readSelection, replaceSelection } from './store.ts';
import { throwIfNameTaken } from './taken-names.ts';

/**
 * The built-in items that an organization selected, and which of them are organization-wide: its
 * credentials can access the others only if a team's policy allows this (S8).
 */
export interface Designation {
  settings(organization_id: string): Promise<OrganizationMcpSettings>;
  /**
   * Returns all built-in items; which of them the organization selected, only to callers who may
   * view its settings.
   */
  tools(caller: Principal, organization_id: string): Promise<readonly OrganizationCatalogTool[]>;
  prompts(
    caller: Principal,
    organization_id: string,
  ): Promise<readonly OrganizationCatalogPrompt[]>;
  replace(
    organization_id: string,
    settings: OrganizationMcpSettings,
    authority: Authority,
  ): Promise<OrganizationMcpSettings>;
}

export type DesignationDependencies = SelectionDependencies &
  Pick<Selection, 'catalogTools' | 'catalogPrompts'> & { authz: Pick<Authz, 'check'> };

const VIEW_SETTINGS = 'can_mcp_settings_read';

export function createDesignation({
  database,
  authz,
  catalog,
  catalogTools,
  catalogPrompts,
}: DesignationDependencies): Designation {
  const current = createSelectableItems(catalog);

  // Items that are no longer current are left out, so that clients can send a response back.
  async function read(db: Queryable, space_id: string): Promise<OrganizationMcpSettings> {
    const selected = await readSelection(db, space_id);
    const designatedIds = await readDesignated(db, space_id);
    const [tools, prompts] = [idsOf(current.tools()), idsOf(current.prompts())];
    return {
      tools: tools.filter((id) => selected.tools.has(id)),
      organization_wide_tools: tools.filter((id) => designatedIds.tools.has(id)),
      platform_prompts: prompts.filter((id) => selected.platform_prompts.has(id)),
      organization_wide_prompts: prompts.filter((id) => designatedIds.platform_prompts.has(id)),
    };
  }

  /** Returns the settings; null for a caller who may not view them. */
  async function viewedSettings(caller: Principal, organization_id: string) {
    const home = contextIn('organization', caller, { organization_id });
    if (home === null) throw absent('the request is in no organization');
    const results = await authz.check(caller, [VIEW_SETTINGS], home);
    return results.get(VIEW_SETTINGS) === true ? read(database.pool, organization_id) : null;
  }

  return {
    settings: (organization_id) => read(database.pool, organization_id),
    async tools(caller, organization_id) {
      const settings = await viewedSettings(caller, organization_id);
      if (settings === null) return catalogTools();
      const { tools, organization_wide_tools } = settings;
      return catalogTools().map(withSelectionFlags(tools, organization_wide_tools));
    },
    async prompts(caller, organization_id) {
      const settings = await viewedSettings(caller, organization_id);
      if (settings === null) return catalogPrompts();
      const { platform_prompts, organization_wide_prompts } = settings;
      return catalogPrompts().map(withSelectionFlags(platform_prompts, organization_wide_prompts));
    },
    async replace(organization_id, settings, authority) {
      const { tools, platform_prompts } = settings;
      const problems = current.problems({ tools, platform_prompts }, 'id');
      throwIfProblems([...problems, ...notSelected(settings)]);
      const [after] = await authz.editContent({
        ...authority,
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

/** Returns a function that adds `selected` and `organization_wide` to an item. */
function withSelectionFlags(selected: readonly string[], organizationWide: readonly string[]) {
  const [selectedIds, designatedIds] = [new Set(selected), new Set(organizationWide)];
  return <Item extends { id: string }>(item: Item) => ({
    ...item,
    selected: selectedIds.has(item.id),
    organization_wide: designatedIds.has(item.id),
  });
}

/** Returns a problem for each designated item that is not part of the selection. */
function notSelected(settings: OrganizationMcpSettings): Problem[] {
  const pairs = [
    ['organization_wide_tools', 'tools'],
    ['organization_wide_prompts', 'platform_prompts'],
  ] as const;
  return pairs.flatMap(([organizationWide, selection]) => {
    const selected = new Set(settings[selection]);
    return settings[organizationWide].flatMap((id, index) =>
      selected.has(id)
        ? []
        : [
            {
              code: 'not_selected' as const,
              message: `Select the item in \`${selection}\` first.`,
              detail: { pointer: `/${organizationWide}/${index}` },
            },
          ],
    );
  });
}
