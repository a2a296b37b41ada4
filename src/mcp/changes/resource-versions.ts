import type { ResourceItem, View, Visibility } from '../../visibility/visibility.ts';
import type { ResourceVersions } from './watch.ts';

/** The resource that is exactly so named, whoever may read it; null: there is none. */
export function findResource(
  visibility: Pick<Visibility, 'find'>,
  view: View,
  uri: string,
): ResourceItem | null {
  return visibility.find(view, 'resource', uri);
}

/** What subscriptions compare: another text whenever a resource they name is another. */
export function createResourceVersions(
  visibility: Pick<Visibility, 'view' | 'find' | 'decide'>,
): ResourceVersions {
  return async function resourceVersions(caller, uris) {
    const view = await visibility.view(caller);
    const versions = new Map<string, string>();
    for (const uri of uris) {
      const resource = findResource(visibility, view, uri);
      if (resource === null || visibility.decide(view, resource).outcome === 'denied') continue;
      // Of a path that was taken anew the versions begin anew too.
      versions.set(uri, `${resource.id} ${resource.version}`);
    }
    return versions;
  };
}
