import type { Secrets } from '../../platform/secrets.ts';

/**
 * Returns the token of the link that a local start prints. It is of use only while no account exists,
 * and the same after a restart, so that the printed link keeps working.
 */
export const firstRunToken = ({ subkeys }: Pick<Secrets, 'subkeys'>): string =>
  subkeys('first-run')[0].toString('base64url');
