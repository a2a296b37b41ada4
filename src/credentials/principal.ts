import type { CredentialKind, Principal } from '../caller/principal.ts';

/** A row of an authentication query: a principal without the fields derived from other columns. */
export type PrincipalRow<Of extends Principal> = Omit<Of, 'credential' | 'subject'> & {
  kind: Of['credential']['kind'];
  id: string;
};

/** Columns of a credential in its account; expects `account a` and its scope, `authz_scope s`. */
export const accountColumns = `'account:' || a.id AS context, a.id AS person,
  json_build_object('kind', 'account', 'id', a.id, 'plan', a.plan) AS quota_owner,
  json_build_array(json_build_object('kind', s.kind, 'id', s.id, 'revision', s.revision,
    'applied', s.applied, 'nonce', s.nonce, 'content', s.content)) AS scopes`;

/** Returns the principal of a credential, with all other columns of its row. */
export function principalOf<Kind extends CredentialKind, Row extends { person: string | null }>(
  credential: { kind: Kind; id: string },
  row: Row,
) {
  const { kind, id } = credential;
  const subject = kind === 'session' ? `user:${row.person}` : `${kind}:${id}`;
  return { ...row, credential, subject };
}
