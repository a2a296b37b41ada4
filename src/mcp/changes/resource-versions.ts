import type { ResourceItem, View, Visibility } from '../../visibility/visibility.ts';
import type { ResourceVersions } from './watch.ts';

/** Returns the resource with exactly this URI, even if the caller may not read it; null if none. */
export function findResource(
  visibility: Pick<Visibility, 'find'>,
  view: View,
  uri: string,
): ResourceItem | null {
  return visibility.find(view, 'resource', uri);
}

/** Creates the reader of the versions that subscriptions compare. */
export function createResourceVersions(
  visibility: Pick<Visibility, 'view' | 'find' | 'decide'>,
): ResourceVersions {
  return async function resourceVersions(caller, uris) {
    const view = await visibility.view(caller);
    const versions = new Map<string, string>();
    for (const uri of uris) {
      const resource = findResource(visibility, view, uri);
      if (resource === null || visibility.decide(view, resource).outcome === 'denied') continue;
      // Includes the id: a new resource at the same path starts at version 1 again.
      versions.set(uri, `${resource.id} ${resource.version}`);
    }
    return versions;
  };
}
