import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../src/caller/route.ts';
import { personalMount } from '../../src/content/spaces/mount.ts';
import type { Mount } from '../../src/content/spaces/mount.ts';

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
        for (const route of (make as (parts: object, mount: Mount) => Route[])({}, personalMount))
          routes.set(`${route.method} ${route.path}`, route);
  }
  return [...routes.values()];
}
