import type { Authority } from '../../caller/actor.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isSame } from '../items/records.ts';
import type { Space } from '../spaces/space.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createAddTools } from './add-tools.ts';
import type { AddToolsDependencies } from './add-tools.ts';
import { filterTools } from './filter.ts';
import { prepareTools } from './prepare.ts';
import type { ToolFilter, UpstreamImport, UpstreamImported } from './schema.ts';
import { ToolPrefix } from './schema.ts';
import { findFollowed, follow, unfollow } from './store.ts';

export interface ImportServerDependencies extends AddToolsDependencies {
  upstreams: Pick<Upstreams, 'get' | 'discover'>;
}

/** Creates the import of all tools of an upstream, or of those that a filter selects. */
export function createImportServer(dependencies: ImportServerDependencies) {
  const { upstreams, database } = dependencies;
  const addTools = createAddTools(dependencies);

  return async function importServer(
    { space, id: upstream_id, mayUpdate }: { space: Space; id: string; mayUpdate: boolean },
    { tools: filter, pins, dry_run, ...sent }: UpstreamImport,
    authority: Authority,
  ): Promise<UpstreamImported> {
    const { name } = await upstreams.get(space.id, upstream_id);
    const listed = await upstreams.discover(space, upstream_id);
    const tools = await filterTools(listed, filter, space.id);
    const prefix = sent.prefix ?? defaultPrefix(name);
    const wanted = sent.follow ? { prefix, filter } : null;
    return addTools(
      {
        ...{ space, upstream_id, isPreview: dry_run },
        action: 'upstream.import',
        prepared: await prepareTools(upstream_id, tools, space.id),
        wish: {
          ...{ prefix, mayUpdate, mayCreate: true, approvesAny: false },
          seenPin: (tool) => (pins === undefined ? null : pinIn(pins, tool)),
        },
        isNeeded: await isOtherwise(database.pool, upstream_id, wanted),
        onSaved: (transaction) =>
          wanted === null
            ? unfollow(transaction, upstream_id)
            : follow(transaction, upstream_id, wanted),
      },
      authority,
    );
  };
}

const pinIn = (pins: Readonly<Record<string, string>>, tool: string) =>
  Object.hasOwn(pins, tool) ? pins[tool] : undefined;

/** Whether an upstream is not yet followed as wanted; null: not at all. */
async function isOtherwise(
  db: Queryable,
  upstream_id: string,
  wanted: { prefix: string; filter: ToolFilter } | null,
): Promise<boolean> {
  const known = await findFollowed(db, upstream_id);
  if (known === null || wanted === null) return known !== wanted;
  return !isSame({ prefix: known.prefix, filter: known.filter }, wanted);
}

/** Makes a prefix of an upstream's name, which may be longer or contain `__`. */
function defaultPrefix(name: string): string {
  const prefix = name
    .replaceAll(/_{2,}/g, '_')
    .slice(0, 40)
    .replaceAll(/^_+|_+$/g, '');
  return ToolPrefix.parse(prefix);
}
