import { createServiceChange } from './change.ts';
import type { ServiceKind } from './kind.ts';
import { createServiceRows } from './rows.ts';
import { createServiceTuples } from './tuples.ts';

/** Creates what depends on the rows of one kind of services. */
export const createServices = (kind: ServiceKind) => ({
  /** Projects services to tuples. */
  tuples: createServiceTuples(kind),
  /** Changes of services that follow from changes of organizations and teams. */
  rows: createServiceRows(kind),
  /** Returns the common fields of a change of a service: its scope and its tuples. */
  changeOf: createServiceChange(kind),
});
