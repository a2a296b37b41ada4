import { createHash } from 'node:crypto';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Visibility } from '../../visibility/visibility.ts';
import { listedPrompt, listedResource, listedTool } from './listed.ts';
import type { Digests } from '../changes/watch.ts';

/**
 * Creates the digest of each list a caller sees. A digest changes only with fields that the list
 * shows, so an edit of a resource's text alone sends no `list_changed`.
 */
export function createDigest(visibility: Pick<Visibility, 'view' | 'list'>) {
  const [tools, prompts, resources] = [
    createListDigest(listedTool),
    createListDigest(listedPrompt),
    createListDigest(listedResource),
  ];
  return async function digest(caller: AgentPrincipal): Promise<Digests> {
    const view = await visibility.view(caller);
    return {
      tools: tools(visibility.list(view, 'tool')),
      prompts: prompts(visibility.list(view, 'prompt')),
      resources: resources(visibility.list(view, 'resource')),
    };
  };
}

function createListDigest<Item extends object>(shown: (item: Item) => object) {
  // An item is the same object until its space changes.
  const cache = new WeakMap<Item, string>();
  const digestOf = (item: Item): string => {
    let digest = cache.get(item);
    if (digest === undefined) cache.set(item, (digest = hash(JSON.stringify(shown(item)))));
    return digest;
  };
  return (items: readonly Item[]): string => hash(items.map(digestOf).join());
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
