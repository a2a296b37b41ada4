import type { z } from 'zod';
import { actorOf, authorityOf } from '../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { KeyListQuery } from '../list-keys.ts';
import type { Page } from '../../platform/http/pages.ts';
import type { ExplainTarget } from '../explain.ts';
import type { ManagedKeys } from '../managed-keys.ts';
import type { KeyDraft, KeyEdit, OrganizationKeyRecord, PreviewPage } from '../schema.ts';
import type { KeyOwner } from '../store.ts';

type Record = z.infer<typeof OrganizationKeyRecord>;
interface Params {
  organization_id: string;
  key_id: string;
}

/**
 * Creates the operations on keys that belong to an organization and act for no person; the owner
 * determines the shape of the record.
 */
export function createOrganizationKeys(managed: ManagedKeys) {
  return {
    list: async (caller: Principal, id: string, query: KeyListQuery) =>
      (await managed.list(caller, ownerOf(id), query)) as Page<Record>,
    get: async (caller: Principal, params: Params) =>
      (await managed.get(caller, keyOf(params))) as Record,
    /** Throws 404 unless the organization has this key. */
    require: (params: Params): Promise<unknown> => managed.require(keyOf(params)),
    create: async (caller: Principal, id: string, draft: KeyDraft, request: RequestFacts) =>
      (await managed.create(
        caller,
        ownerOf(id),
        // An organization's key runs in its organization and nowhere else.
        { ...draft, org_scope: null },
        actorOf(caller, request),
        request.once,
      )) as Record & { secret: string },
    update: async (caller: Principal, params: Params, edit: KeyEdit, request: RequestFacts) =>
      (await managed.update(caller, keyOf(params), edit, actorOf(caller, request))) as Record,
    revoke: (caller: Principal, params: Params, request: RequestFacts) =>
      managed.revoke(keyOf(params), authorityOf(caller, request)),
    previewDraft: (
      caller: SessionPrincipal,
      id: string,
      draft: KeyDraft,
      page: PreviewPage | null,
    ) => managed.previewDraft(caller, ownerOf(id), { ...draft, org_scope: null }, page),
    preview: (caller: SessionPrincipal, params: Params, page: PreviewPage | null) =>
      managed.preview(caller, keyOf(params), page),
    previewEdit: (
      caller: SessionPrincipal,
      params: Params,
      request: Parameters<ManagedKeys['previewEdit']>[2],
    ) => managed.previewEdit(caller, keyOf(params), request),
    explain: (caller: SessionPrincipal, params: Params, target: ExplainTarget) =>
      managed.explain(caller, keyOf(params), target),
  };
}
export type OrganizationKeys = ReturnType<typeof createOrganizationKeys>;

const ownerOf = (id: string): KeyOwner => ({ kind: 'organization', id });
const keyOf = ({ organization_id, key_id: id }: Params) => ({
  id,
  owner: ownerOf(organization_id),
});
