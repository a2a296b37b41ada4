import { oauthClientPresets } from '../../../src/snippets/oauth-clients.ts';
import type { OAuthClientPreset } from '../../../src/snippets/oauth-clients.ts';

const ENDPOINT = 'https://toolgate.example/mcp';

function sectionOf({ title, type, redirect_uris, steps }: OAuthClientPreset): string {
  const kind = type === 'public' ? 'a public client' : 'a public or a confidential client';
  const addresses =
    redirect_uris.length === 0
      ? ['Its redirect URI is its own: see below.']
      : ['Redirect URIs:', '', ...redirect_uris.map((uri) => `- \`${uri}\``)];
  return [
    `### ${title}`,
    '',
    `Register ${kind}. ${addresses.shift()}`,
    ...addresses,
    '',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
  ].join('\n');
}

/** Generates the sections of docs/oauth-clients.md about known clients. */
export const knownClients = (): string => oauthClientPresets(ENDPOINT).map(sectionOf).join('\n\n');
