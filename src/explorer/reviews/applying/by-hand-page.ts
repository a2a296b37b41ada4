import type { EntryRow } from '../entries-store.ts';

/** Returns the page of the dashboard where a person changes a subject. */
export function byHandPage(
  organization_id: string,
  { kind, subject_id, account_id }: Pick<EntryRow, 'kind' | 'subject_id' | 'account_id'>,
): string {
  const area = `/app/org/${organization_id}`;
  if (kind === 'organization_key') return `${area}/keys/${subject_id}`;
  if (kind === 'client') return `${area}/clients`;
  return `${area}/members/${account_id ?? subject_id}`;
}
