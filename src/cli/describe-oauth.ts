import type { Consent, OAuthQuickstart } from './oauth-quickstart.ts';

/** Describes what the person has to do in the browser. */
export const describeConsent = ({ address, email, password }: Consent): string =>
  [
    '',
    'Open this address within 10 minutes, sign in and decide:',
    '',
    address,
    '',
    `E-mail    ${email}`,
    `Password  ${password}`,
    '',
    'Waiting for your decision …',
  ].join('\n');

/** Describes what the client got, and how to take it back. */
export const describeConnection = (
  { client, connection, tool, result }: OAuthQuickstart,
  url: string,
): string =>
  [
    '',
    `Result      ${tool}: ${JSON.stringify(result)}`,
    `Client      ${client.name}, ${client.id}`,
    `Connection  ${connection.id}`,
    `Scopes      ${connection.scopes.join(', ')}`,
    `Revoke it   DELETE ${new URL(`/api/me/connections/${connection.id}`, url).href}`,
    '',
  ].join('\n');
