import type { PlanName } from '../../platform/config/plans.ts';
import type { Name, Names } from '../names.ts';
import type { Path } from '../source.ts';

/** A route by method and path, as in the API reference. */
export type RouteName = `${'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET'} /api${string}`;

export type Body = Readonly<Record<string, unknown>>;

/**
 * One thing that a seed file wants to exist. All but people and members are created by the REST
 * route that people use, in a session of the person who would do it.
 */
export interface Step {
  /** Where the file has it. */
  at: Path;
  /** What the file calls it; null for settings, which belong to something else. */
  name: Name | null;
  /** The address of the person who creates it. */
  by: string;
  /** How it is created; its list has the same path. Settings are replaced with PUT. */
  route: RouteName;
  params(names: Names): Readonly<Record<string, string>>;
  /** The body of the request; its fields are those of the file, except those in `renamed`. */
  body(names: Names): Body;
  /** Fields of the file by those of the body that are called something else. */
  renamed?: Readonly<Record<string, string>>;
  /** The field by which its list names it. Default: `name`. */
  named_by?: string;
  /** The body of the request that deletes it again. */
  removal?: Body;
  plan?: PlanName | undefined;
}
