import type { Authority } from '../../caller/actor.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isSame } from '../items/records.ts';
import type { Space } from '../spaces/space.ts';
import { contentFamilies } from '../upstreams/content/schema.ts';
import type { Offer } from '../upstreams/offers.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createAddItems } from './add-items.ts';
import type { AddDependencies, Part } from './add-items.ts';
import { filterContent, filterTools } from './filter.ts';
import { importedOf } from './imported.ts';
import type { AddedFamily } from './plan.ts';
import { preparePrompts, prepareResources, prepareTools } from './prepare.ts';
import type { UpstreamImport, UpstreamImported } from './schema.ts';
import { ToolPrefix } from './schema.ts';
import { findFollowed, follow, unfollow } from './store.ts';
import type { ContentFilters, Wanted } from './store.ts';

export interface ImportServerDependencies extends AddDependencies {
  upstreams: Pick<Upstreams, 'get' | 'discoverOffer'>;
}

/** Returns what the sender of a request may do with the items of a family in its space. */
export type May = (family: AddedFamily) => Promise<{ mayCreate: boolean; mayUpdate: boolean }>;

/** Creates the import of all that an upstream offers, or of what filters select. */
export function createImportServer(dependencies: ImportServerDependencies) {
  const { upstreams, database } = dependencies;
  const addItems = createAddItems(dependencies);

  return async function importServer(
    { space, id: upstream_id, may }: { space: Space; id: string; may: May },
    sent: UpstreamImport,
    authority: Authority,
  ): Promise<UpstreamImported> {
    const { name } = await upstreams.get(space.id, upstream_id);
    const filters = filtersOf(sent);
    const families = contentFamilies.filter((family) => filters[family] !== undefined);
    const offer = await upstreams.discoverOffer(space, upstream_id, families);
    const prefix = sent.prefix ?? defaultPrefix(name);
    const target = { space, upstream_id, prefix };
    const wanted = sent.follow ? { prefix, filter: sent.tools, content_filters: filters } : null;
    const parts: Part[] = [];
    for (const family of ['tool', ...families] as const) {
      const prepared = await prepareSelected(family, offer, sent, target);
      parts.push({ family, prepared, wish: await wishOf(family, sent, may) });
    }
    const outcome = await addItems(
      {
        ...{ space, upstream_id, parts, isPreview: sent.dry_run },
        action: 'upstream.import',
        isNeeded: await isOtherwise(database.pool, upstream_id, wanted),
        onSaved: (transaction) =>
          wanted === null
            ? unfollow(transaction, upstream_id)
            : follow(transaction, upstream_id, wanted),
      },
      authority,
    );
    return importedOf(space, outcome);
  };
}

const filtersOf = ({ prompts, resources }: UpstreamImport): ContentFilters => ({
  ...(prompts === undefined ? {} : { prompt: prompts }),
  ...(resources === undefined ? {} : { resource: resources }),
});

interface Target {
  space: Space;
  upstream_id: string;
  prefix: string;
}

/** Converts and checks what the filter of a family selects. */
async function prepareSelected(
  family: AddedFamily,
  offer: Offer,
  sent: UpstreamImport,
  { space, upstream_id, prefix }: Target,
) {
  if (family === 'tool') {
    const tools = await filterTools(offer.tool, sent.tools, space.id);
    return prepareTools(upstream_id, { tools, prefix }, space.id);
  }
  if (family === 'prompt') {
    const prompts = await filterContent(offer.prompt, sent.prompts ?? {}, space.id);
    return preparePrompts(upstream_id, { prompts, prefix });
  }
  const resources = await filterContent(offer.resource, sent.resources ?? {}, space.id);
  return prepareResources(upstream_id, { resources, prefix });
}

const pinsOf = (
  family: AddedFamily,
  { pins, prompt_pins, resource_pins }: UpstreamImport,
): Readonly<Record<string, string>> | undefined =>
  family === 'tool' ? pins : family === 'prompt' ? prompt_pins : resource_pins;

/** An import approves only what was seen: without pins, it changes nothing. */
async function wishOf(family: AddedFamily, sent: UpstreamImport, may: May) {
  const pins = pinsOf(family, sent);
  const { mayCreate, mayUpdate } = await may(family);
  return {
    ...{ mayCreate, mayUpdate: mayUpdate && pins !== undefined, approvesAny: false },
    seenPin: (source: string) => (pins === undefined ? null : pinIn(pins, source)),
  };
}

const pinIn = (pins: Readonly<Record<string, string>>, source: string) =>
  Object.hasOwn(pins, source) ? pins[source] : undefined;

/** Whether an upstream is not yet followed as wanted; null: not at all. */
async function isOtherwise(
  db: Queryable,
  upstream_id: string,
  wanted: Wanted | null,
): Promise<boolean> {
  const known = await findFollowed(db, upstream_id);
  if (known === null || wanted === null) return known !== wanted;
  const { prefix, filter, content_filters } = known;
  return !isSame({ prefix, filter, content_filters }, wanted);
}

/** Makes a prefix of an upstream's name, which may be longer or contain `__`. */
function defaultPrefix(name: string): string {
  const prefix = name
    .replaceAll(/_{2,}/g, '_')
    .slice(0, 40)
    .replaceAll(/^_+|_+$/g, '');
  return ToolPrefix.parse(prefix);
}
