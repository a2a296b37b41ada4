import { canonicalJson } from '../../platform/json/canonical-json.ts';
import type { Draft, ItemKind } from './kind.ts';
import type { SummaryRow, ItemRow } from './store.ts';

export type ItemRecord = Readonly<Record<string, unknown>> & { id: string; version: number };

/**
 * Formats rows for the API: the name in the field of its family, the content next to the common
 * fields.
 */
export function recordsOf<Content extends object>({ nameField }: ItemKind<Content>) {
  const facts = ({ id, name, version, created_at, updated_at }: SummaryRow, shown: object) => ({
    id,
    [nameField]: name,
    ...shown,
    version,
    created_at,
    updated_at,
  });
  return {
    head: (row: SummaryRow): ItemRecord => facts(row, row.head),
    whole: (row: ItemRow): ItemRecord => facts(row, { ...row.head, ...row.content }),
  };
}

export const draftOf = <Content>(row: ItemRow): Draft<Content> => ({
  name: row.name,
  content: row.content as Content,
});

/** Compares canonical JSON, since `jsonb` does not preserve key order. */
export const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other);
