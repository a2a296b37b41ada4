import type { z } from 'zod';
import { actorOf, authorityOf } from '../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { KeyListQuery } from '../list-keys.ts';
import type { Page } from '../../platform/http/pages.ts';
import type { PreviewedEdit } from '../edit-preview.ts';
import type { ExplainTarget } from '../explain.ts';
import type { ManagedKeys, PreviewedKey } from '../managed-keys.ts';
import type {
  Explanation,
  KeyDraft,
  KeyEdit,
  OrganizationKeyRecord,
  Preview,
  PreviewPage,
} from '../schema.ts';
import type { KeyOwner } from '../store.ts';

type Record = z.infer<typeof OrganizationKeyRecord>;
interface Params {
  organization_id: string;
  key_id: string;
}

/** Operations on keys that belong to an organization and act for no person. */
export interface OrganizationKeys {
  list(caller: Principal, organization_id: string, query: KeyListQuery): Promise<Page<Record>>;
  get(caller: Principal, params: Params): Promise<Record>;
  /** Throws 404 unless the organization has this key. */
  require(params: Params): Promise<unknown>;
  create(
    caller: Principal,
    organization_id: string,
    draft: KeyDraft,
    request: RequestFacts,
  ): Promise<Record & { secret: string }>;
  update(caller: Principal, params: Params, edit: KeyEdit, request: RequestFacts): Promise<Record>;
  revoke(caller: Principal, params: Params, request: RequestFacts): Promise<void>;
  previewDraft(
    caller: SessionPrincipal,
    organization_id: string,
    draft: KeyDraft,
    page: PreviewPage | null,
  ): Promise<Preview>;
  preview(
    caller: SessionPrincipal,
    params: Params,
    page: PreviewPage | null,
  ): Promise<PreviewedKey>;
  previewEdit(
    caller: SessionPrincipal,
    params: Params,
    request: Parameters<ManagedKeys['previewEdit']>[2],
  ): Promise<PreviewedEdit>;
  explain(caller: SessionPrincipal, params: Params, target: ExplainTarget): Promise<Explanation>;
}

/** Creates the operations on organizations' keys; the owner determines the shape of the record. */
export function createOrganizationKeys(managed: ManagedKeys): OrganizationKeys {
  return {
    list: async (caller, id, query) =>
      (await managed.list(caller, ownerOf(id), query)) as Page<Record>,
    get: async (caller, params) => (await managed.get(caller, keyOf(params))) as Record,
    require: (params) => managed.require(keyOf(params)),
    create: async (caller, id, draft, request) =>
      (await managed.create(
        caller,
        ownerOf(id),
        // An organization's key runs in its organization and nowhere else.
        { ...draft, org_scope: null },
        actorOf(caller, request),
        request.once,
      )) as Record & { secret: string },
    update: async (caller, params, edit, request) =>
      (await managed.update(caller, keyOf(params), edit, actorOf(caller, request))) as Record,
    revoke: (caller, params, request) =>
      managed.revoke(keyOf(params), authorityOf(caller, request)),
    previewDraft: (caller, id, draft, page) =>
      managed.previewDraft(caller, ownerOf(id), { ...draft, org_scope: null }, page),
    preview: (caller, params, page) => managed.preview(caller, keyOf(params), page),
    previewEdit: (caller, params, request) => managed.previewEdit(caller, keyOf(params), request),
    explain: (caller, params, target) => managed.explain(caller, keyOf(params), target),
  };
}

const ownerOf = (id: string): KeyOwner => ({ kind: 'organization', id });
const keyOf = ({ organization_id, key_id: id }: Params) => ({
  id,
  owner: ownerOf(organization_id),
});
