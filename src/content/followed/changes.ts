import type { Authority } from '../../caller/actor.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ChangedPin } from '../pins/store.ts';
import type { Pins } from '../pins/pins.ts';
import type { Space } from '../spaces/space.ts';
import type { McpContent } from '../tools/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createAddTools } from './add-tools.ts';
import type { AddToolsDependencies } from './add-tools.ts';
import { filterTools } from './filter.ts';
import { prepareTools } from './prepare.ts';
import type {
  ChangeApproval,
  SkippedTool,
  UpstreamChange,
  UpstreamChanges,
  UpstreamImported,
} from './schema.ts';
import { findFollowed, listOffered } from './store.ts';
import type { FollowedRow } from './store.ts';
import { toolNameOf } from './tool-name.ts';

export interface ChangesDependencies extends AddToolsDependencies {
  database: Pick<Database, 'pool'>;
  upstreams: Pick<Upstreams, 'get'>;
  pins: AddToolsDependencies['pins'] & Pick<Pins, 'changesOf'>;
}

/** Lists and approves what is new or changed at an upstream. */
export function createChanges(dependencies: ChangesDependencies) {
  const { pool } = dependencies.database;
  const { upstreams, pins } = dependencies;
  const addTools = createAddTools(dependencies);

  /** Returns the tools that wait and are meant: those of an earlier filter stay until a refresh. */
  async function offeredOf(
    { space_id, upstream_id }: { space_id: string; upstream_id: string },
    followed: FollowedRow | null,
  ) {
    const offered = await listOffered(pool, upstream_id);
    const found = offered.map((row) => row.found);
    const meant = new Set(await filterTools(found, followed?.filter ?? {}, space_id));
    return offered.filter((row) => meant.has(row.found));
  }

  return {
    async list(space_id: string, upstream_id: string): Promise<UpstreamChanges> {
      await upstreams.get(space_id, upstream_id);
      const followed = await findFollowed(pool, upstream_id);
      const offered = await offeredOf({ space_id, upstream_id }, followed);
      const changed = await pins.changesOf(pool, upstream_id);
      const newTools = offered.map(({ found, found_at }) =>
        newTool(found, found_at, toolNameOf(followed?.prefix ?? '', found.name)),
      );
      return {
        data: [...newTools, ...changed.map(knownTool)],
        next_cursor: null,
        following: followed && followingOf(followed),
      };
    },

    /** Approves tools as they were found; what a permission or the pin forbids is skipped. */
    async approve(
      { space, id: upstream_id, mayCreate }: { space: Space; id: string; mayCreate: boolean },
      { tools }: ChangeApproval,
      authority: Authority,
    ): Promise<UpstreamImported> {
      await upstreams.get(space.id, upstream_id);
      const followed = await findFollowed(pool, upstream_id);
      const waitingTools = await offeredOf({ space_id: space.id, upstream_id }, followed);
      const offered = waitingTools.map(({ found }) => found);
      const held = (await pins.changesOf(pool, upstream_id)).flatMap(({ found }) => found ?? []);
      // Several custom tools may be the same tool of the upstream.
      const waiting = new Map([...offered, ...held].map((tool) => [tool.name, tool]));
      const chosen = new Map(tools?.map(({ tool, pin = null }) => [tool, pin]));
      const isChosen = ({ name }: UpstreamTool) => tools === undefined || chosen.has(name);
      const result = await addTools(
        {
          ...{ space, upstream_id, isPreview: false },
          action: 'upstream.approve',
          prepared: await prepareTools(
            upstream_id,
            [...waiting.values()].filter(isChosen),
            space.id,
          ),
          wish: {
            ...{ prefix: followed?.prefix ?? '', mayCreate, mayUpdate: true, approvesAny: true },
            seenPin: (tool) => chosen.get(tool) ?? null,
          },
        },
        authority,
      );
      const unknown = [...chosen.keys()].filter((tool) => !waiting.has(tool)).map(skipUnknown);
      return { ...result, skipped: [...result.skipped, ...unknown] };
    },
  };
}

const skipUnknown = (tool: string): SkippedTool => ({
  tool,
  code: 'unknown_upstream_tool',
  message: 'No change of this tool waits for approval.',
});

const followingOf = ({
  prefix,
  filter,
  checked_at,
  failure,
}: NonNullable<Awaited<ReturnType<typeof findFollowed>>>) => ({
  ...{ prefix, tools: filter, checked_at, failure },
});

const newTool = (found: UpstreamTool, since: string, name: string): UpstreamChange => ({
  ...{ change: 'new', tool: found.name, name, custom_tool_id: null, approved: null, found, since },
});

function knownTool(row: ChangedPin): UpstreamChange {
  const { item_id, name, tool, found, held_at, missing_at, content } = row;
  const shared = { tool, name, custom_tool_id: item_id, found };
  if (held_at === null) return { change: 'removed', ...shared, approved: null, since: missing_at! };
  const { title, description, input_schema, output_schema, annotations } =
    content as unknown as McpContent;
  const approved = { title, description, input_schema, output_schema, annotations };
  return { change: 'changed', ...shared, approved, since: held_at };
}
