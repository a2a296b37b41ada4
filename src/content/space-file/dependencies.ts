import type { Audit } from '../../audit/audit.ts';
import type { Authz } from '../../authz/authz.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Plans } from '../../platform/config/plans.ts';
import type { ConditionsDependencies } from '../agents/conditions.ts';
import type { Items } from '../items/items.ts';
import type { Pins } from '../pins/pins.ts';
import type { Selection } from '../selection/selection.ts';
import type { CustomTools } from '../tools/tools.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { SpaceList } from './schema.ts';

/** Lists of the file whose entries are items. */
export type ItemList = Exclude<SpaceList, 'upstreams'>;

export interface SpaceFileDependencies extends ConditionsDependencies {
  database: Database;
  authz: Pick<Authz, 'editContent'>;
  audit: Pick<Audit, 'record'>;
  plans: Plans;
  selection: Pick<Selection, 'names' | 'problems' | 'add'>;
  upstreams: Pick<Upstreams, 'add' | 'change' | 'problems'>;
  pins: Pick<Pins, 'quarantinedItems' | 'quarantine'> & {
    content: Pick<Pins['content'], 'quarantine'>;
  };
  customTools: Pick<CustomTools, 'missingSecrets'>;
  items: Readonly<Record<ItemList, Items>>;
}
