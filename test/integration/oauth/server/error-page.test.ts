import { expect, test } from 'vitest';
import { texts } from '../../../../src/texts/texts.ts';
import { createOAuthPeer, insertClient, REDIRECT } from '../../../support/people/oauth.ts';
import { ownAddresses, signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const peer = createOAuthPeer(gateway);
const { account_id } = await signUp(world, gateway);
const name = `Claude & <b onclick="x()">Co</b>`;
const client = await insertClient(world, {
  owner: { account_id },
  redirect_uris: [REDIRECT],
  name,
});

const words = texts.en.oauth;
/** What makes a page lead somewhere, or run something. */
const ACTIVE = /<(?:a|script|img|iframe|form|meta http-equiv|b onclick)\b|href=|src=/;

test('a page about an unregistered redirect URI names the client and the address, and says what to do next', async () => {
  const { status, location, body } = await peer.start(client, {
    redirect_uri: 'http://localhost:3118/oauth/callback',
  });

  expect([status, location]).toEqual([400, '']);
  expect(body).toContain('Claude &amp; &lt;b onclick=&quot;x()&quot;&gt;Co&lt;/b&gt;');
  expect(body).toContain('http://localhost:3118/oauth/callback');
  expect(body).toContain(words.next_redirect);
  expect(body).toContain(new URL(gateway.config.PUBLIC_URL).host);
  expect(body).not.toMatch(ACTIVE);
});

test.each([
  ['markup', 'https://evil.example/"><script>alert(1)</script>', '&lt;script&gt;alert(1)'],
  ['a script', 'javascript:alert(1)', 'javascript:alert(1)'],
  ['a sentence', 'https://evil.example/ Call 555 now', 'https://evil.example/%20Call%20555%20now'],
  ['another direction', 'https://evil.example/\u202Egpj', 'https://evil.example/%E2%80%AEgpj'],
  ['a very long address', `https://evil.example/${'a'.repeat(2_000)}`, `${'a'.repeat(279)}…`],
])('an address in a request is shown as text only: %s', async (_title, redirect_uri, shown) => {
  const { location, body } = await peer.start(client, { redirect_uri });

  expect(location).toBe('');
  expect(body).toContain(shown);
  expect(body).not.toContain('a'.repeat(300));
  expect(body).not.toMatch(ACTIVE);
});

test('a page about an unknown client or a broken request says what to do next, and shows no address', async () => {
  const unknown = await peer.start({ ...client, id: crypto.randomUUID() });
  expect(unknown.body).toContain(words.unknown_client);
  expect(unknown.body).toContain(words.next_client);
  expect(unknown.body).not.toContain(REDIRECT);

  const none = await peer.start(client, { client_id: undefined });
  expect(none.body).toContain(words.next_request);
  const ended = await peer.browse('/oauth/authorize/unknown');
  expect(ended.body).toContain(words.next_request);
  for (const { body } of [unknown, none, ended]) expect(body).not.toMatch(ACTIVE);
});

test.each(Object.entries(texts))(
  'the page is in %s',
  async (language, { oauth: { next_redirect } }) => {
    const query = new URLSearchParams({ client_id: client.id, redirect_uri: 'https://x.example/' });
    const response = await fetch(
      `${gateway.url}/oauth/authorize?${String(query)}&response_type=code`,
      {
        headers: { 'accept-language': language },
      },
    );
    const html = await response.text();
    expect(html).toContain(next_redirect);
    expect(html).not.toMatch(/\{\{|undefined/);
  },
);
