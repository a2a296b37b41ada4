import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { KeyPreview, OrganizationKeyRecord } from '../../../keys/schema.ts';
import { request } from '../../api/request.ts';
import { pathOf } from '../organizations.ts';

export type OrganizationKey = z.infer<typeof OrganizationKeyRecord>;

export const organizationKeyQuery = (id: string, key_id: string) =>
  queryOptions({
    queryKey: ['organization-key', id, key_id],
    queryFn: ({ signal }) => request<OrganizationKey>(pathOf(id, `/keys/${key_id}`), { signal }),
  });

export const organizationKeyPreviewQuery = (id: string, key_id: string) =>
  queryOptions({
    queryKey: ['organization-key', id, key_id, 'preview'],
    queryFn: ({ signal }) => request<KeyPreview>(pathOf(id, `/keys/${key_id}/preview`), { signal }),
  });

/** The fields of a new key as the form has them. */
export interface KeyFields extends Record<string, unknown> {
  name: string;
  mcp_capabilities: string[];
  grants: string[];
  follows: 'all' | 'some';
  team_ids: string[];
  days: string | null;
}

const DAY_MS = 86_400_000;

/** Returns the body that creates a key; `now` is when the form was opened. */
export const draftOf = (id: string, fields: KeyFields, now: number) => ({
  name: fields.name,
  mcp_capabilities: fields.mcp_capabilities,
  grants:
    fields.grants.length === 0
      ? []
      : [{ scope: { type: 'org', org_id: id }, permissions: fields.grants }],
  team_ids: fields.follows === 'all' ? null : fields.team_ids,
  expires_at:
    fields.days === null ? null : new Date(now + Number(fields.days) * DAY_MS).toISOString(),
});
