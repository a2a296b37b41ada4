import type { Author } from '../content/author.ts';
import {
  ALL_CONTENT,
  contentKey,
  contentOf,
  ownOffering,
  prompt,
  reader,
  resource,
} from './content-world.ts';
import { createRefresher } from './refresher.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

/** Imports the prompt and the resource of a server that a test can change. */
export async function imported(owner: Author) {
  const offered = { prompts: [prompt('ask')], resources: [resource('docs://a.md')] };
  const { server, upstream } = await ownOffering(owner, offered);
  const { raw } = await upstream.import({ ...ALL_CONTENT, prefix: 'docs' });
  const agent = reader(owner, await contentKey(owner));
  return { offered, server, upstream, ...contentOf(raw), agent };
}

/** Creates another gateway that refreshes a followed upstream at once. */
export async function createRefresh(world: World, gateway: Gateway) {
  const refresher = await createRefresher(gateway);
  return {
    async refresh(upstream_id: string) {
      await world.query(`UPDATE followed_upstream SET due_at = now() - interval '1 second'
        WHERE upstream_id = '${upstream_id}'`);
      await refresher.refreshDue();
    },
    close: () => refresher.close(),
  };
}
