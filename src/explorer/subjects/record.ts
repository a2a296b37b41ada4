import type { Subject } from '../schema.ts';
import type { SubjectRow } from './store.ts';

/** Returns the API record of a member or a credential; `teamNames` are those of all teams, by id. */
export function subjectOf(row: SubjectRow, teamNames: ReadonlyMap<string, string>): Subject {
  const { kind, id, name, account_id, email, follows, last_used_at } = row;
  return {
    ...{ kind, id, name },
    owner: account_id === null ? null : { account_id, email },
    teams: candidateTeams(row, [...teamNames.keys()]).flatMap((team_id) => {
      const team = teamNames.get(team_id);
      return team === undefined ? [] : [{ id: team_id, name: team }];
    }),
    ...{ follows, last_used_at },
  };
}

/**
 * Returns the teams in which a row may have access: those that a credential is bound to, or follows,
 * and those in which a member has a seat.
 */
export function candidateTeams(
  { account_id, bound, seats }: Pick<SubjectRow, 'account_id' | 'bound' | 'seats'>,
  allTeams: readonly string[],
): readonly string[] {
  if (bound !== null) return bound;
  return account_id === null ? allTeams : seats.map(([team_id]) => team_id);
}
