import type { Route } from '../../caller/route.ts';
import { itemRoutes } from '../items/routes.ts';
import { draftOfResource, mergeResource } from './resources.ts';
import type { Resources } from './resources.ts';
import { ResourceChange, ResourceDraft, ResourceListed, ResourceRecord } from './schema.ts';

export const resourceRoutes = (resources: Resources): Route[] =>
  itemRoutes({
    items: resources,
    path: 'resources',
    permissions: 'resources',
    noun: 'resource',
    tag: 'Resources',
    draft: ResourceDraft,
    change: ResourceChange,
    record: ResourceRecord,
    listed: ResourceListed,
    draftOf: draftOfResource,
    merge: mergeResource,
  });
