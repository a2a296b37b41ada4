import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { conflict, unprocessable } from '../../platform/errors/refusal.ts';
import type { Items } from '../items/items.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import type { Draft } from '../items/kind.ts';
import type { Pins } from '../pins/pins.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import { mcpContentOf } from './mcp-tool.ts';
import type { Approval, McpContent, ToolContent } from './schema.ts';

export interface ApproveDependencies {
  items: Pick<Items<ToolContent>, 'get' | 'edit' | 'kind'>;
  pins: Pick<Pins, 'find' | 'release'>;
  authz: Pick<Authz, 'editContent'>;
}

/** Approves a quarantined tool: saves a version with its upstream's current description (B8-8). */
export function createApprove({ items, pins, authz }: ApproveDependencies) {
  async function release(space: Space, item_id: string, authority: Authority): Promise<void> {
    await authz.editContent({
      ...authority,
      reason: 'custom_tool.update',
      writes: [scopeOf(space)],
      targets: [{ type: items.kind.noun, id: item_id }],
      async work(transaction) {
        if (!(await pins.release(transaction, { space_id: space.id, item_id })))
          throw pinMismatch('/pin');
      },
    });
  }

  return async function approve(space: Space, id: string, { pin }: Approval, authority: Authority) {
    const { id: space_id } = space;
    await items.get(space_id, id);
    const pinned = await pins.find(space_id, id);
    if (pinned === null)
      throw unprocessable('not_of_an_upstream', 'Only tools of kind mcp can be quarantined.');
    const { found } = pinned;
    if (pin !== undefined && pin !== (found?.pin ?? pinned.pin)) throw pinMismatch('/pin');
    if (found === null) return;
    if (found.pin === pinned.pin) await release(space, id, authority);
    else await items.edit(space, id, { if_match: null, next: toDescription(found) }, authority);
  };
}

const toDescription =
  (found: UpstreamTool) =>
  ({ name, content }: Draft<ToolContent>): Draft<ToolContent> => ({
    name,
    content: mcpContentOf((content as McpContent).mcp.upstream_id, found),
  });

export const pinMismatch = (pointer: string) =>
  conflict(
    'pin_mismatch',
    'The upstream has changed the tool again. Review its current description.',
    {
      detail: { pointer },
    },
  );
