import { createHash } from 'node:crypto';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Visibility } from '../../visibility/visibility.ts';
import { formatPrompt, formatResource, formatTool } from './listed.ts';
import { listedTools, searchToolsOf } from './searching.ts';
import type { Digests } from '../changes/watch.ts';

/**
 * Creates a function that digests each list of a caller. A digest changes only with fields that the
 * list shows, so editing only the text of a resource sends no `list_changed`.
 */
export function createDigest(visibility: Pick<Visibility, 'view' | 'list'>) {
  const [tools, prompts, resources] = [
    createListDigest(formatTool),
    createListDigest(formatPrompt),
    createListDigest(formatResource),
  ];
  return async function digest(caller: AgentPrincipal): Promise<Digests> {
    const view = await visibility.view(caller);
    return {
      tools: tools([...searchToolsOf(caller, view), ...listedTools(visibility, caller, view)]),
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
