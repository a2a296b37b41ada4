import type { z } from 'zod';
import { actorOf, authorityOf } from '../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import type { ExplainTarget } from '../explain.ts';
import type { ManagedKeys } from '../managed-keys.ts';
import type {
  CreatedOrganizationKey,
  Explanation,
  KeyDraft,
  KeyEdit,
  OrganizationKeyRecord,
  Preview,
} from '../schema.ts';
import type { KeyOwner } from '../store.ts';

type Record = z.infer<typeof OrganizationKeyRecord>;
interface Params {
  organization_id: string;
  key_id: string;
}

/** Operations on keys that belong to an organization and act for no person. */
export interface OrganizationKeys {
  list(caller: Principal, organization_id: string, page: PageQuery): Promise<Page<Record>>;
  get(caller: Principal, params: Params): Promise<Record>;
  /** Throws 404 unless the organization has this key. */
  require(params: Params): Promise<unknown>;
  create(
    caller: Principal,
    organization_id: string,
    draft: KeyDraft,
    request: RequestFacts,
  ): Promise<z.infer<typeof CreatedOrganizationKey>>;
  update(caller: Principal, params: Params, edit: KeyEdit, request: RequestFacts): Promise<Record>;
  revoke(caller: Principal, params: Params, request: RequestFacts): Promise<void>;
  preview(caller: SessionPrincipal, organization_id: string, draft: KeyDraft): Promise<Preview>;
  explain(caller: SessionPrincipal, params: Params, target: ExplainTarget): Promise<Explanation>;
}

/** Creates the operations on organizations' keys; the owner determines the shape of the record. */
export function createOrganizationKeys(managed: ManagedKeys): OrganizationKeys {
  return {
    list: async (caller, id, page) =>
      (await managed.list(caller, ownerOf(id), page)) as Page<Record>,
    get: async (caller, params) => (await managed.get(caller, keyOf(params))) as Record,
    require: (params) => managed.require(keyOf(params)),
    create: async (caller, id, draft, request) =>
      (await managed.create(
        caller,
        ownerOf(id),
        // An organization's key runs in its organization and nowhere else.
        { ...draft, org_scope: null },
        actorOf(caller, request),
      )) as Record & { secret: string },
    update: async (caller, params, edit, request) =>
      (await managed.update(caller, keyOf(params), edit, actorOf(caller, request))) as Record,
    revoke: (caller, params, request) =>
      managed.revoke(keyOf(params), authorityOf(caller, request)),
    preview: (caller, id, draft) =>
      managed.preview(caller, ownerOf(id), { ...draft, org_scope: null }),
    explain: (caller, params, target) => managed.explain(caller, keyOf(params), target),
  };
}

const ownerOf = (id: string): KeyOwner => ({ kind: 'organization', id });
const keyOf = ({ organization_id, key_id: id }: Params) => ({
  id,
  owner: ownerOf(organization_id),
});
