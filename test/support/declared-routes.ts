import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../src/caller/route.ts';
import {
  memberMount,
  organizationMount,
  personalMount,
  teamMount,
} from '../../src/content/spaces/mount.ts';
import type { Mount } from '../../src/content/spaces/mount.ts';

const allMounts: readonly Mount[] = [
  personalMount,
  organizationMount,
  memberMount,
  teamMount({ requireTeam: () => Promise.reject(new Error('no handler runs')) }),
];
// Modules whose routes exist in every kind of space.
const EVERYWHERE =
  /^content\/(?:agents|followed|prompts|resources|tools|upstream-documents|upstreams)\//;

/**
 * Returns the routes declared in every routes.ts, whether or not the service mounts them, without
 * running a handler. A module's routes include those of its subfolders, so duplicates are removed.
 */
export async function declaredRoutes(): Promise<Route[]> {
  const source = fileURLToPath(new URL('../../src/', import.meta.url));
  const routes = new Map<string, Route>();
  // A factory, whose routes each item family declares itself.
  const exclude = ['content/items/routes.ts'];
  for (const file of globSync('**/routes.ts', { cwd: source, exclude })) {
    const module = (await import(`${source}${file}`)) as Record<string, unknown>;
    for (const [name, make] of Object.entries(module))
      if (name.endsWith('Routes'))
        for (const mount of EVERYWHERE.test(file) ? allMounts : [personalMount])
          for (const route of (make as (parts: object, mount: Mount) => Route[])({}, mount))
            routes.set(`${route.method} ${route.path}`, route);
  }
  return [...routes.values()];
}
