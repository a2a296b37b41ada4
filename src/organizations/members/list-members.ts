import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { beginsWith, positioned, sortedPage } from '../../platform/postgres/sorted-rows.ts';
import { MemberRow, membersOf } from './store.ts';

/** What a list of members may be asked for. */
export interface MemberListQuery {
  limit: number;
  cursor?: string | undefined;
  /** The beginning of an e-mail address, a first name or a last name. */
  q?: string | undefined;
  role_id?: string | undefined;
  team_id?: string | undefined;
}

const joinOrder = ({ role_id, team_id }: MemberListQuery) => ({
  id: sql.fragment`m.id`,
  equalIds: [
    ...(role_id === undefined ? [] : [sql.fragment`r.membership_id`]),
    ...(team_id === undefined ? [] : [sql.fragment`seat.membership_id`]),
  ],
  isOldestFirst: true,
});
const termOrder = { id: sql.fragment`t.membership_id`, name: sql.fragment`t.term` };

/**
 * Returns a page of members for `toRowsPage`, in the order in which they first joined or, if they
 * are searched, in that of what was found. A member with several matching terms is listed once.
 */
export function listMembers(db: Queryable, organization_id: string, query: MemberListQuery) {
  const { position, conditions, order } = sortedPage(
    query.q === undefined ? joinOrder(query) : termOrder,
    query,
  );
  const joins = [...joinTerms(query), ...joinRole(query), ...joinTeam(query)];
  const join = sql.fragment`${sql.join([sql.fragment``, ...joins], sql.fragment` `)}`;
  const more = { column: position, join };
  return db.any(sql.type(positioned(MemberRow))`
    ${membersOf(organization_id, more)} ${conditions} ${order}`);
}

const joinTerms = ({ q: text }: MemberListQuery) =>
  text === undefined
    ? []
    : [
        sql.fragment`
  JOIN member_term t ON t.organization_id = m.organization_id AND t.membership_id = m.id
    AND NOT EXISTS (SELECT FROM member_term earlier
      WHERE earlier.membership_id = m.id AND ${beginsWith(loweredTerm('earlier'), text)}
        AND (${loweredTerm('earlier')}, ${exactTerm('earlier')})
          < (${loweredTerm('t')}, ${exactTerm('t')}))`,
      ];

const loweredTerm = (table: 'earlier' | 't') =>
  sql.fragment`lower(${sql.identifier([table, 'term'])}) COLLATE "C"`;

/** Orders terms that differ in case alone. */
const exactTerm = (table: 'earlier' | 't') =>
  sql.fragment`${sql.identifier([table, 'term'])} COLLATE "C"`;

const joinRole = ({ role_id }: MemberListQuery) =>
  role_id === undefined
    ? []
    : [
        sql.fragment`JOIN membership_role r ON r.organization_id = m.organization_id
          AND r.role_id = ${role_id} AND r.membership_id = m.id`,
      ];

const joinTeam = ({ team_id }: MemberListQuery) =>
  team_id === undefined
    ? []
    : [
        sql.fragment`JOIN team_member seat ON seat.team_id = ${team_id}
          AND seat.membership_id = m.id`,
      ];
