import { createHash } from 'node:crypto';
import type { KeyCaller } from '../caller/caller.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { Digests } from './watch.ts';

/** One short text for each list a caller sees, which differs when the list does. */
export function createDigest(visibility: Pick<Visibility, 'view' | 'list'>) {
  return async function digest(caller: KeyCaller): Promise<Digests> {
    const view = await visibility.view(caller);
    return {
      tools: digestOf(visibility.list(view, 'tool')),
      prompts: digestOf(visibility.list(view, 'prompt')),
      resources: digestOf(visibility.list(view, 'resource')),
    };
  };
}

function digestOf(items: readonly { id: string; version: string }[]): string {
  const lines = items.map(({ id, version }) => `${id} ${version}`).toSorted();
  return createHash('sha256').update(lines.join('\n')).digest('base64url');
}
