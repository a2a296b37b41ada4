import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import { DomainRecord } from './schema.ts';

/** Identifies a domain that an organization claims. */
export interface DomainKey {
  organization_id: string;
  domain: string;
}

const DomainRow = DomainRecord.omit({ txt_name: true });
export type DomainRow = z.infer<typeof DomainRow>;

/** Returns the domains that an organization claims, in alphabetical order. */
export function listDomains(db: Queryable, organization_id: string) {
  return db.any(sql.type(DomainRow)`
    SELECT domain, txt_value, verified_at FROM sso_domain
    WHERE organization_id = ${organization_id} ORDER BY domain`);
}

export function findDomain(db: Queryable, { organization_id, domain }: DomainKey) {
  return db.maybeOne(sql.type(DomainRow)`
    SELECT domain, txt_value, verified_at FROM sso_domain
    WHERE organization_id = ${organization_id} AND domain = ${domain}`);
}

/** Inserts a claim; false if the organization has it already. */
export async function insertDomain(
  transaction: Transaction,
  { organization_id, domain, txt_value }: DomainKey & { txt_value: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    INSERT INTO sso_domain (organization_id, domain, txt_value)
    VALUES (${organization_id}, ${domain}, ${txt_value}) ON CONFLICT DO NOTHING`);
  return rowCount === 1;
}

/**
 * Marks a domain as verified. Returns `taken` if another organization has verified it, and `absent` if
 * the claim was deleted; of organizations that verify a domain at once, one succeeds.
 */
export function markVerified(
  transaction: Transaction,
  { organization_id, domain }: DomainKey,
): Promise<'verified' | 'absent' | 'taken'> {
  const updated = transaction.query(sql.typeAlias('void')`
    UPDATE sso_domain SET verified_at = coalesce(verified_at, now())
    WHERE organization_id = ${organization_id} AND domain = ${domain}`);
  return withFallbackOnViolation(
    updated.then(({ rowCount }) => (rowCount === 1 ? 'verified' : 'absent')),
    ['sso_domain_proved_once'],
    'taken',
  );
}

/** Returns whether another organization has verified the domain. */
export function isProvedByAnother(
  db: Queryable,
  { organization_id, domain }: DomainKey,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM sso_domain
    WHERE domain = ${domain} AND verified_at IS NOT NULL AND organization_id <> ${organization_id}`);
}

/** Deletes a claim; false if there is none. */
export async function deleteDomain(
  transaction: Transaction,
  { organization_id, domain }: DomainKey,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    DELETE FROM sso_domain WHERE organization_id = ${organization_id} AND domain = ${domain}`);
  return rowCount === 1;
}

/** Returns whether the organization has verified the domain. */
export function isVerifiedDomain(
  db: Queryable,
  organization_id: string,
  domain: string,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM sso_domain
    WHERE organization_id = ${organization_id} AND domain = ${domain}
      AND verified_at IS NOT NULL`);
}

const CountRow = z.object({ count: z.number() });

export function countDomains(db: Queryable, organization_id: string): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM sso_domain WHERE organization_id = ${organization_id}`);
}
