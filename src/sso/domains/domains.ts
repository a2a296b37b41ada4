import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import {
  absent,
  conflict,
  forbidden,
  malformed,
  unprocessable,
} from '../../platform/errors/refusal.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { newToken } from '../../platform/secrets.ts';
import { normalizeDomain } from '../../platform/text/address.ts';
import { editOf, requireOrganization } from '../change.ts';
import { createIsRelied } from '../connections/guard.ts';
import { listConnections } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { requirePlan } from '../refusals.ts';
import type { DomainDraft, DomainParams, DomainRecord } from './schema.ts';
import {
  countDomains,
  deleteDomain,
  findDomain,
  insertDomain,
  isProvedByAnother,
  listDomains,
  markVerified,
} from './store.ts';
import type { DomainRow } from './store.ts';

const MAX_DOMAINS = 50;

type Claimed = Pick<DomainRow, 'domain'>;

export interface DomainsDependencies extends Pick<
  SsoDependencies,
  'database' | 'authz' | 'readTxtRecords' | 'accounts' | 'organizations'
> {
  /** Called in the transaction in which a domain is verified. */
  onVerified(transaction: Transaction, organization_id: string): Promise<void>;
}

/** The e-mail domains of an organization, which it verifies by a TXT record. */
export function createDomains(dependencies: DomainsDependencies) {
  const { database, authz } = dependencies;
  const { pool } = database;
  const require = (params: DomainParams) => requireDomain(pool, params);
  const requireMayDelete = createDeletionGuard(dependencies);

  return {
    /** Throws 404 unless the organization claims the domain. */
    get: require,
    async list(organization_id: string) {
      const rows = await listDomains(pool, organization_id);
      return { data: rows.map(recordOf), next_cursor: null };
    },
    /** Claims a domain, and returns the record that verifies it. */
    async add(
      caller: SessionPrincipal,
      organization_id: string,
      draft: DomainDraft,
      request: RequestFacts,
    ): Promise<DomainRecord> {
      const { domain } = await request.once<Claimed>(async (save) => {
        const claimed = normalizeDomain(draft.domain);
        if (claimed === null) throw invalidDomain();
        requirePlan(caller);
        const row = { organization_id, domain: claimed, txt_value: newTxtValue() };
        return authz.edit({
          ...editOf(caller, organization_id, request),
          reason: 'sso_domain.create',
          async work(transaction) {
            await requireOrganization(transaction, organization_id);
            if (!(await insertDomain(transaction, row))) throw alreadyClaimed();
            if ((await countDomains(transaction, organization_id)) > MAX_DOMAINS)
              throw tooManyDomains();
            return save(transaction, { domain: claimed });
          },
          detail: () => ({ domain: claimed }),
        });
      });
      return recordOf(await require({ organization_id, domain }));
    },
    verify: createVerification(dependencies),
    async remove(
      caller: SessionPrincipal,
      params: DomainParams,
      request: RequestFacts,
    ): Promise<void> {
      const { organization_id, domain } = params;
      const row = await require(params);
      requirePlan(caller);
      await requireMayDelete(caller, organization_id, row);
      await authz.edit({
        ...editOf(caller, organization_id, request),
        reason: 'sso_domain.delete',
        async work(transaction) {
          await requireOrganization(transaction, organization_id);
          if (!(await deleteDomain(transaction, params))) throw absent('deleted concurrently');
        },
        detail: () => ({ domain }),
      });
    },
  };
}
export type Domains = ReturnType<typeof createDomains>;

/**
 * Creates the function that throws 403 if a caller without every permission of an Admin deletes a
 * verified domain while people sign in through single sign-on: its addresses cannot sign in that way
 * any more, and managed accounts have no password.
 */
function createDeletionGuard({ database: { pool }, accounts, organizations }: DomainsDependencies) {
  const isRelied = createIsRelied({ accounts });
  return async function requireMayDelete(
    caller: SessionPrincipal,
    organization_id: string,
    { verified_at }: DomainRow,
  ): Promise<void> {
    if (verified_at === null || (await organizations.joinGrants.isAdmin(caller))) return;
    for (const connection of await listConnections(pool, organization_id))
      if (await isRelied(connection)) throw mustBeAdmin();
  };
}

/**
 * Creates the function that verifies a domain by its TXT record; from then on no other organization
 * can.
 */
function createVerification({
  database: { pool },
  authz,
  readTxtRecords,
  onVerified,
}: DomainsDependencies) {
  return async function verify(
    caller: SessionPrincipal,
    params: DomainParams,
    request: RequestFacts,
  ): Promise<DomainRecord> {
    const { organization_id, domain } = params;
    const row = await requireDomain(pool, params);
    requirePlan(caller);
    if (row.verified_at !== null) return recordOf(row);
    if (await isProvedByAnother(pool, params)) throw domainTaken();
    const records = await readTxtRecords(txtName(domain));
    if (!records.some((text) => text.trim() === row.txt_value)) throw txtNotFound(row);
    await authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_domain.verify',
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        const current = await requireDomain(transaction, params);
        // Deleted and claimed again in the meantime: the record that was found belonged to an earlier claim.
        if (current.txt_value !== row.txt_value) throw txtNotFound(current);
        if ((await markVerified(transaction, params)) === 'taken') throw domainTaken();
        await onVerified(transaction, organization_id);
      },
      detail: () => ({ domain }),
    });
    return recordOf(await requireDomain(pool, params));
  };
}

async function requireDomain(db: Queryable, params: DomainParams): Promise<DomainRow> {
  const row = await findDomain(db, params);
  if (row === null) throw absent('the organization does not claim this domain');
  return row;
}

const newTxtValue = () => `toolgate-domain-verification=${newToken()}`;
const txtName = (domain: string) => `_toolgate.${domain}`;

const recordOf = ({ domain, ...row }: DomainRow): DomainRecord => ({
  domain,
  txt_name: txtName(domain),
  ...row,
});

const mustBeAdmin = () =>
  forbidden(
    'permission_denied',
    'People with an address in this domain sign in through single sign-on, so deleting it requires a session with every permission of an Admin.',
  );

const invalidDomain = () =>
  malformed(
    'invalid_domain',
    'This is not the domain of an e-mail address. Send one such as `example.com`.',
    {
      detail: { pointer: '/domain' },
    },
  );

const alreadyClaimed = () =>
  conflict('domain_exists', 'The organization has this domain already.', {
    detail: { pointer: '/domain' },
  });

const tooManyDomains = () =>
  unprocessable('limit_reached', `An organization can have at most ${MAX_DOMAINS} domains.`);

const domainTaken = () =>
  unprocessable('domain_taken', 'Another organization has verified this domain.');

const txtNotFound = ({ domain, txt_value }: DomainRow) =>
  unprocessable(
    'txt_not_found',
    'The TXT record was not found. Publish it and try again; changes of DNS take some time.',
    { detail: { txt_name: txtName(domain), txt_value } },
  );
