/** Returns the header that carries a credential: an API key, or an OAuth access token. */
export const credentialHeader = (credential: string): Record<string, string> =>
  credential.startsWith('ey')
    ? { authorization: `Bearer ${credential}` }
    : { 'x-api-key': credential };
