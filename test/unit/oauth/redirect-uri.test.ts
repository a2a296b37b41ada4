import { describe, expect, test } from 'vitest';
import { redirectUriFault } from '../../../src/oauth/clients/redirect-uri.ts';
import { ClientDraft } from '../../../src/oauth/clients/schema.ts';
import { oauthClientPresets } from '../../../src/snippets/oauth-clients.ts';

/** Returns whether the shape of a URI is accepted, and what a client may not have. */
function verdict(uri: string): string | null {
  const draft = { name: 'x', type: 'public', grant_types: [], allowed_scopes: [] };
  const { success } = ClientDraft.safeParse({ ...draft, redirect_uris: [uri] });
  return success ? redirectUriFault(uri) : 'malformed';
}

describe('a redirect URI', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://client.example',
    'https://client.example:8443/callback?tenant=1',
    'https://münchen.example/callback'.replace('münchen', 'xn--mnchen-3ya'),
    'http://localhost/callback',
    'http://localhost:8787/callback',
    'http://127.0.0.1:33418/',
    'http://127.0.0.1',
    'http://[::1]:4000/callback',
    'com.example.app:/callback',
    'com.example.app://callback/path',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('%s is allowed', (uri) => {
    expect(verdict(uri)).toBeNull();
  });

  test.each([
    ['fragment', 'https://client.example/callback#top'],
    ['fragment', 'https://client.example/#'],
    ['wildcard', 'https://*.example/callback'],
    ['wildcard', 'https://client.example/*'],
    ['user name', 'https://user@client.example/'],
    ['user name', 'https://client.example:x@evil.example/'],
    ['user name', 'https://@client.example/'],
    ['http is allowed', 'http://client.example/callback'],
    ['http is allowed', 'http://localhost.client.example/'],
    ['http is allowed', 'http://127.0.0.1.client.example/'],
    ['http is allowed', 'http://127.0.0.2/'],
    ['http is allowed', 'http://192.168.1.10/'],
    ['http is allowed', 'http://0.0.0.0/'],
    ['http is allowed', 'http://[::2]/'],
    ['loopback', 'https://localhost/callback'],
    ['loopback', 'https://127.0.0.1/'],
    ['IP address', 'https://203.0.113.7/callback'],
    ['IP address', 'https://[2001:db8::1]/callback'],
    ['normal form', 'https://Client.example/'],
    ['normal form', 'HTTPS://client.example/'],
    ['normal form', 'https://client.example:443/'],
    ['normal form', 'https://client.example/a/../b'],
    ['normal form', 'https://client.example/%2e%2e/b'],
    ['normal form', 'https:/client.example/'],
    ['normal form', 'http://127.1/'],
    ['normal form', 'http://0x7f000001/'],
    ['normal form', 'http://2130706433/'],
    ['scheme', 'javascript:alert(1)'],
    ['scheme', 'data:text/html,x'],
    ['scheme', 'file:///etc/passwd'],
    ['scheme', 'myapp://callback'],
    ['scheme', 'urn:ietf:wg:oauth:2.0:oob'],
  ])('is refused for its %s: %s', (reason, uri) => {
    expect(verdict(uri)).toContain(reason);
  });

  test.each([
    '',
    'callback',
    '/callback',
    '//client.example/callback',
    'https://',
    'https://client.example/a b',
    'https://client.example\\@evil.example/',
    'https://client.example/\n',
    'https://münchen.example/',
    'https://client.example/<script>',
    `https://client.example/${'x'.repeat(2_000)}`,
  ])('is malformed: %j', (uri) => {
    expect(verdict(uri)).toBe('malformed');
  });
});

test('every address of a known client is allowed', () => {
  const presets = oauthClientPresets('https://toolgate.example/mcp');
  const addresses = presets.flatMap(({ redirect_uris }) => redirect_uris);

  expect(addresses.length).toBeGreaterThan(10);
  expect(addresses.filter((uri) => verdict(uri) !== null)).toEqual([]);
});
