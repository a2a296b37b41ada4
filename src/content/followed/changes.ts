import type { Authority } from '../../caller/actor.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Pins } from '../pins/pins.ts';
import type { Space } from '../spaces/space.ts';
import { contentFamilies, sourceOf } from '../upstreams/content/schema.ts';
import type { AnyUpstreamContent, ContentFamily } from '../upstreams/content/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createAddItems } from './add-items.ts';
import type { AddDependencies, Part } from './add-items.ts';
import { changesOf, followingOf } from './change-records.ts';
import type { WaitingChanges } from './change-records.ts';
import { filterContent, filterTools } from './filter.ts';
import type { May } from './import.ts';
import { importedOf } from './imported.ts';
import type { AddedFamily, Skipped } from './plan.ts';
import { preparePrompts, prepareResources, prepareTools } from './prepare.ts';
import type { ChangeApproval, UpstreamChanges, UpstreamImported } from './schema.ts';
import { findFollowed, listOffered, listOfferedContent } from './store.ts';

export interface ChangesDependencies extends AddDependencies {
  database: Pick<Database, 'pool'>;
  upstreams: Pick<Upstreams, 'get'>;
  pins: AddDependencies['pins'] &
    Pick<Pins, 'changesOf'> & { content: Pick<Pins['content'], 'changesOf'> };
}

/** Lists and approves what is new or changed at an upstream. */
export function createChanges(dependencies: ChangesDependencies) {
  const { upstreams } = dependencies;
  const addItems = createAddItems(dependencies);

  const waitingAt = createWaiting(dependencies);

  return {
    /** Returns the changes of tools, and of the other families that the sender may read. */
    async list(
      { space_id, id }: { space_id: string; id: string },
      mayRead: (family: AddedFamily) => Promise<boolean>,
    ): Promise<UpstreamChanges> {
      await upstreams.get(space_id, id);
      const waiting = await waitingAt(space_id, id);
      const shown = changesOf(waiting);
      return {
        data: shown.tools,
        prompts: (await mayRead('prompt')) ? shown.prompts : [],
        resources: (await mayRead('resource')) ? shown.resources : [],
        next_cursor: null,
        following: followingOf(waiting.followed),
      };
    },

    /** Approves changes as they were found; what a permission or the pin forbids is skipped. */
    async approve(
      { space, id: upstream_id, may }: { space: Space; id: string; may: May },
      approval: ChangeApproval,
      authority: Authority,
    ): Promise<UpstreamImported> {
      await upstreams.get(space.id, upstream_id);
      const waiting = await waitingAt(space.id, upstream_id);
      const parts: Part[] = [];
      const unknown = new Map<AddedFamily, Skipped[]>();
      for (const family of ['tool', ...contentFamilies] as const) {
        const chosen = chosenOf(family, approval);
        const prepared = (await prepareWaiting(family, waiting, { space, upstream_id })).filter(
          ({ source }) => chosen === null || chosen.has(source),
        );
        const { mayCreate, mayUpdate } = await may(family);
        const seenPin = (source: string) => chosen?.get(source) ?? null;
        parts.push({
          family,
          prepared,
          wish: { mayCreate, mayUpdate, approvesAny: true, seenPin },
        });
        const known = new Set(prepared.map(({ source }) => source));
        const missing = [...(chosen?.keys() ?? [])].filter((source) => !known.has(source));
        unknown.set(family, missing.map(skipUnknown));
      }
      const request = { space, upstream_id, parts, action: 'upstream.approve' } as const;
      const { isSaved, plans } = await addItems({ ...request, isPreview: false }, authority);
      const reported = plans.map(({ family, plan }) => ({
        family,
        plan: { ...plan, skipped: [...plan.skipped, ...unknown.get(family)!] },
      }));
      return importedOf(space, { isSaved, plans: reported });
    },
  };
}

/** Creates the function that returns what waits and is meant: what an earlier filter selected stays until a refresh. */
function createWaiting({
  database: { pool },
  pins,
}: Pick<ChangesDependencies, 'database' | 'pins'>) {
  return async function waitingAt(space_id: string, upstream_id: string): Promise<WaitingChanges> {
    const followed = await findFollowed(pool, upstream_id);
    const tools = await listOffered(pool, upstream_id);
    const content = await listOfferedContent(pool, upstream_id);
    const meant = new Set<unknown>(
      await filterTools(
        tools.map(({ found }) => found),
        followed?.filter ?? {},
        space_id,
      ),
    );
    for (const family of contentFamilies) {
      const filter = followed?.content_filters[family];
      if (filter === undefined) continue;
      const listed = content.flatMap(({ found }) => (familyOf(found) === family ? [found] : []));
      for (const found of await filterContent(listed, filter, space_id)) meant.add(found);
    }
    return {
      followed,
      tools: tools.filter(({ found }) => meant.has(found)),
      changedTools: await pins.changesOf(pool, upstream_id),
      content: content.filter(({ found }) => meant.has(found)),
      changedContent: await pins.content.changesOf(pool, upstream_id),
    };
  };
}

const familyOf = (found: AnyUpstreamContent): ContentFamily =>
  'uri' in found ? 'resource' : 'prompt';

const skipUnknown = (source: string): Skipped => ({
  source,
  code: 'unknown',
  message: 'No change of this waits for approval.',
});

/**
 * Returns the pins of what to approve of a family, by its name or URI, each null if any pin will do;
 * null if all of it is to be approved, which is so if nothing is listed at all.
 */
function chosenOf(
  family: AddedFamily,
  { tools, prompts, resources }: ChangeApproval,
): ReadonlyMap<string, string | null> | null {
  if (tools === undefined && prompts === undefined && resources === undefined) return null;
  const content = family === 'prompt' ? prompts : resources;
  return family === 'tool'
    ? new Map(tools?.map(({ tool, pin = null }) => [tool, pin]))
    : new Map(content?.map(({ source, pin = null }) => [source, pin]));
}

/** Prepares what waits of a family. Several items may come from the same one of the upstream. */
async function prepareWaiting(
  family: AddedFamily,
  { followed, tools, changedTools, content, changedContent }: WaitingChanges,
  { space, upstream_id }: { space: Space; upstream_id: string },
) {
  const prefix = followed?.prefix ?? '';
  if (family === 'tool') {
    const found = [
      ...tools.map((offered) => offered.found),
      ...changedTools.flatMap((changed) => changed.found ?? []),
    ];
    const waiting = new Map(found.map((tool) => [tool.name, tool]));
    return prepareTools(upstream_id, { tools: [...waiting.values()], prefix }, space.id);
  }
  const found = [...content, ...changedContent].flatMap((one) => one.found ?? []);
  const waiting = [...new Map(found.map((one) => [sourceOf(one), one])).values()];
  return family === 'prompt'
    ? preparePrompts(upstream_id, { prompts: waiting.filter((one) => 'name' in one), prefix })
    : prepareResources(upstream_id, { resources: waiting.filter((one) => 'uri' in one), prefix });
}
