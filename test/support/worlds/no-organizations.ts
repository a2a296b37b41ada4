import type { OrganizationReads } from '../../../src/visibility/visibility.ts';

/** Organization reads that always fail, for credentials that are in no organization. */
export const noOrganizations: OrganizationReads = {
  exposure: () => Promise.reject(new Error('no credential is in an organization')),
  seatsOf: () => Promise.reject(new Error('no credential is in an organization')),
};
