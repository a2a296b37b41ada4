import type { DirectoryChanges } from '../../organizations/organizations.ts';
import { MAX_SEATS_PER_CHANGE } from '../../organizations/organizations.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { invalidValue } from '../operations.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { MemberStep } from './edit.ts';
import { deleteGroupMembers, insertGroupMembers, listPlacedUsers } from './store.ts';
import type { GroupKey, PlacedUser } from './store.ts';

/**
 * Creates the function that changes who is in a group. Users who are active get or lose their seat
 * in the team. Everyone is checked before anything changes; then each batch is a transaction of its
 * own, and a change that failed between two of them can be sent again.
 */
export function createMemberChanges({
  database: { pool },
  members,
}: {
  database: Pick<Database, 'pool'>;
  members: DirectoryChanges;
}) {
  /** Returns who is to be added and who is to be removed; throws 400 for an unknown user. */
  async function plan(group: GroupKey, steps: readonly MemberStep[]) {
    const ids = steps.flatMap((step) => (step.op === 'remove' ? [] : step.ids));
    const users = await listPlacedUsers(pool, group, ids);
    const known = new Set(users.map(({ account_id }) => account_id));
    if (!ids.every((id) => known.has(id)))
      throw invalidValue('members', 'users of this directory, named by their ids');
    let after = new Set(users.filter(({ listed }) => listed).map(({ account_id }) => account_id));
    for (const step of steps)
      if (step.op === 'add') after = after.union(new Set(step.ids));
      else if (step.op === 'remove') after = after.difference(new Set(step.ids));
      else after = new Set(step.ids);
    const isIn = ({ account_id }: PlacedUser) => after.has(account_id);
    const named = new Set(ids);
    return {
      // Who is named again gets back a seat that was taken away otherwise.
      added: users.filter(
        (user) =>
          isIn(user) &&
          (!user.listed || (named.has(user.account_id) && user.active && !user.seated)),
      ),
      removed: users.filter((user) => !isIn(user) && user.listed),
    };
  }

  return {
    /** Throws 400 unless all users that the steps name exist. */
    require: async (group: GroupKey, steps: readonly MemberStep[]) =>
      void (await plan(group, steps)),
    async change(request: ScimRequest, group: GroupKey, steps: readonly MemberStep[]) {
      if (steps.length === 0) return;
      const { added, removed } = await plan(group, steps);
      const authority = authorityOf(request);
      for (const batch of batchesOf(removed)) {
        const placed = batch.map((user) => ({ ...user, seat: user.seated }));
        await members.removeSeats(authority, group, placed, (transaction) =>
          deleteGroupMembers(transaction, group, idsOf(batch)),
        );
      }
      for (const batch of batchesOf(added)) {
        const placed = batch.map((user) => ({ ...user, seat: user.active && !user.seated }));
        await members.addSeats(authority, group, placed, (transaction) =>
          insertGroupMembers(transaction, group, idsOf(batch)),
        );
      }
    },
  };
}

const idsOf = (users: readonly PlacedUser[]) => users.map(({ id }) => id);

function* batchesOf(users: readonly PlacedUser[]): Generator<PlacedUser[]> {
  for (let start = 0; start < users.length; start += MAX_SEATS_PER_CHANGE)
    yield users.slice(start, start + MAX_SEATS_PER_CHANGE);
}
