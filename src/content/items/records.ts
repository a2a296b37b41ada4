import { canonicalJson } from '../../platform/json/canonical-json.ts';
import type { Draft, ItemKind } from './kind.ts';
import type { SummaryRow, ItemRow } from './store.ts';

export type ItemRecord = Readonly<Record<string, unknown>> & { id: string; version: number };

/**
 * Formats rows for the API, with the name in the family's name field, and the fields of the content
 * at the same level as the common fields.
 */
export function recordsOf<Content extends object>({ nameField }: ItemKind<Content>) {
  const format = (row: SummaryRow, fields: object) => ({
    id: row.id,
    [nameField]: row.name,
    ...fields,
    ...organizationWideOf(row),
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  });
  return {
    head: (row: SummaryRow): ItemRecord => format(row, row.head),
    complete: (row: ItemRow): ItemRecord => format(row, { ...row.head, ...row.content }),
  };
}

export const draftOf = <Content>(row: ItemRow): Draft<Content> => ({
  name: row.name,
  content: row.content as Content,
  ...organizationWideOf(row),
});

const organizationWideOf = ({ organization_wide }: Pick<SummaryRow, 'organization_wide'>) =>
  organization_wide === null ? {} : { organization_wide };

/** Compares canonical JSON, since `jsonb` does not preserve key order. */
export const isSame = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);
