import { actions } from '../caller/actions.ts';

/** Returns `docs/audit.md`, generated from the table of actions; `npm test -- -u` rewrites it. */
export function auditPage(): string {
  const rows = Object.entries(actions).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [...page, ...rows.map(([action, meaning]) => `| \`${action}\` | ${meaning} |`), ''].join(
    '\n',
  );
}

const page = [
  '# Audit',
  '',
  'Every change of an account, its keys and its settings, and every refused attempt worth knowing,',
  'is one row of `audit_event`: written in the transaction of the change, so that there is no change',
  'without it, and never edited. The database itself refuses UPDATE, TRUNCATE and DELETE. What was',
  'done stays for ever; what was refused, which can be tried at will, ends after 90 days.',
  '',
  'A person reads the rows of their own account at `GET /api/me/audit`, newest first:',
  '',
  '| Field | Means |',
  '| - | - |',
  '| `id`, `at` | the row, and the database time of the transaction |',
  '| `actor` | who: a `user`, a credential (`api_key`, `org_key`, `connection`, `machine`), or the `system` |',
  '| `credential` | the session or key that asked; null where none was shown |',
  '| `address` | the client address, behind trusted proxies |',
  '| `action` | what, from the table below |',
  '| `target` | what it was done to |',
  '| `outcome` | `done` or `refused` |',
  '| `detail` | particulars of the action; never a secret, never an address somebody typed |',
  '',
  'Filters: `action=` (a name or its beginning, `key.`), `outcome=`, `from=` (included) and `to=`',
  '(excluded) as ISO 8601.',
  '',
  '## Actions',
  '',
  '| Action | Means |',
  '| - | - |',
];
