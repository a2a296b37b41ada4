import { actions } from '../caller/actions.ts';
import { MAX_FILE_ENTRIES } from './schema.ts';

/** Returns `docs/audit.md`, generated from the table of actions; `npm test -- -u` rewrites it. */
export function auditPage(): string {
  const rows = Object.entries(actions).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [...page, ...rows.map(([action, meaning]) => `| \`${action}\` | ${meaning} |`), ''].join(
    '\n',
  );
}

const page = [
  '# Audit log',
  '',
  'Every change to an account, its keys and its settings, and every security-relevant rejected attempt',
  'is recorded as one row of `audit_event`, in the transaction of the change, so that no change goes',
  'unrecorded. Rows are never edited: the database itself rejects UPDATE, TRUNCATE and DELETE. Rows of',
  'changes are kept forever; rows of rejected attempts, which anyone can repeat, can be deleted after',
  '90 days.',
  '',
  'Users can read the audit log of their own account at `GET /api/me/audit`, newest first:',
  '',
  '| Field | Meaning |',
  '| - | - |',
  '| `id`, `at` | id of the row; database time of the transaction |',
  '| `actor` | who acted: a `user`, a credential (`api_key`, `org_key`, `connection`, `machine`, `scim_token`), or the `system` |',
  '| `credential` | the session or other credential of the request; null if it had none |',
  '| `address` | the client’s IP address, as seen through trusted proxies |',
  '| `action` | what happened; see the table below |',
  '| `target` | the object acted on |',
  '| `outcome` | `done` or `refused` |',
  '| `detail` | details of the action; never a secret, never an e-mail address from the request |',
  '',
  'Filters: `action=` (a name, or a prefix such as `key.`), `target=` and `actor=` (ids), `outcome=`,',
  '`from=` (inclusive) and `to=` (exclusive), both in ISO 8601. A page of long entries ends after 4 MB of',
  'their details, before `limit`; `next_cursor` continues.',
  '',
  '`?format=csv` returns all selected entries as one CSV file, `?format=jsonl` as JSON lines: one entry per',
  'line, for a SIEM. Without the parameter, `Accept: text/csv` and `Accept: application/x-ndjson` do the',
  `same. A file has at most ${MAX_FILE_ENTRIES} entries; more are refused with 422 \`too_large\`. If the`,
  'connection closes before the end of the response, the file is incomplete: request it again. In CSV,',
  "a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets a leading `'`, so that no",
  'spreadsheet takes it for a formula; likewise within a cell after a semicolon, a tab or a line end; `target` and `detail` are JSON.',
  '',
  'Changes in an organization, including its members and teams, are listed at',
  '`GET /api/organizations/{organization_id}/audit`, which requires `can_view_organization_audit`. For',
  'sessions and keys, `can_update_organization` includes it; no access token has it, whatever its scopes.',
  'A role or a key with this permission alone can read the log and change nothing. Filters and fields',
  'are the same; `actor.email` is the address of a member, and null once the person has left. A target',
  'that the organization owns has its current `name` until it is deleted; people are targets by their id',
  'alone. What members do in their own spaces is not listed.',
  '',
  'Actions on items have the name and the version before and after in `detail`, and in a catalog whether',
  'the item is for the whole organization. The content of each version is in the history of the item.',
  '',
  '## Actions',
  '',
  '| Action | Meaning |',
  '| - | - |',
];
