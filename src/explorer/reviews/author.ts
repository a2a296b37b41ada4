import { knownAddress } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';

/** Builds the JSON of an author, as far as the organization of `access_review r` may know who it is. */
export const author = (kind: string, id: string) => sql.fragment`json_build_object(
  'kind', ${sql.identifier(kind.split('.'))}, 'id', ${sql.identifier(id.split('.'))},
  'email', (SELECT ${knownAddress} FROM account a
    LEFT JOIN membership m ON m.account_id = a.id AND m.organization_id = r.organization_id
    WHERE a.id = ${sql.identifier(id.split('.'))}))`;
