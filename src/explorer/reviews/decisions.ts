import { ConcurrentUpdate } from '../../authz/authz.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { Found, Look } from '../look.ts';
import { teamClass, teamsToDecide } from '../permissions/holders.ts';
import type { SubjectRow } from '../subjects/store.ts';
import type { Classes, Reached } from './classes.ts';
import { createReach } from './reach.ts';
import { nameOf } from './revisions.ts';

/** Creates the decisions about subjects that one look makes; `classes` has those of earlier looks. */
export function createDecisions(look: Look, { once }: Classes, withItems: ReadonlySet<string>) {
  const all = [...look.teams.keys()];
  const principals = new Map<string, Promise<Found>>();
  // Each decides about some fifty relations: at once, they would delay each other and live calls.
  const oneByOne = createSemaphore({ maxConcurrent: 1, maxQueued: Number.POSITIVE_INFINITY });

  function principalOf(row: SubjectRow): Promise<Found> {
    const name = nameOf(row);
    const known = principals.get(name);
    if (known !== undefined) return known;
    const reading = look.find([row]).then((found) => {
      const one = found.get(row.id);
      // Its row has changed since: the next look finds that.
      if (one === undefined) throw new ConcurrentUpdate();
      return one;
    });
    principals.set(name, reading);
    reading.catch(() => principals.delete(name));
    return reading;
  }

  const permissionsIn = (row: SubjectRow, team_id: string | null) =>
    once(
      team_id === null ? `permissions ${row.home}` : `permissions ${teamClass(row, team_id)}`,
      { row, onContent: false },
      async () => {
        const { principal } = await principalOf(row);
        return oneByOne(() => look.permissionsIn(principal, team_id));
      },
    );

  const reach = createReach({ look, once, principalOf, oneByOne });

  return {
    /** Returns what a subject has in the organization and in its teams. */
    async permissionsOf(row: SubjectRow) {
      const inTeams = await Promise.all(
        teamsToDecide(row, all).map(async (id) => ({
          team: { id, name: look.teams.get(id)! },
          permissions: await permissionsIn(row, id),
        })),
      );
      return {
        permissions: await permissionsIn(row, null),
        team_permissions: inTeams.filter(({ permissions }) => permissions.length > 0),
      };
    },
    /** Returns what a subject can use; people with items of their own are decided about one by one. */
    reachOf: (row: SubjectRow): Promise<Reached> =>
      row.account_id !== null && withItems.has(row.account_id)
        ? once(`reach of ${nameOf(row)}`, { row, onContent: true }, () => reach(row))
        : once(`reach ${row.reach}`, { row, onContent: true }, () => reach(row)),
  };
}
