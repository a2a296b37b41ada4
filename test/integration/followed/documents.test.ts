import { expect, test } from 'vitest';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { faultsOf } from '../content/author.ts';
import { createFollowedWorld } from './followed-world.ts';

const { ada, v2, newAuthor } = await closeAfterTests(createFollowedWorld());

const unique = () => crypto.randomUUID().slice(0, 8);

async function importDocument(document: object, variables: object = {}, author = ada) {
  const { status, body } = await author.rest('/api/me/upstreams/import', { document, variables });
  return {
    ...{ status, body },
    upstreams: body['upstreams'] as {
      id: string;
      name: string;
      url: string;
      header_names: string[];
    }[],
    missing: body['missing'] as { name: string; headers: object[] }[],
    skipped: body['skipped'] as { name: string; code: string }[],
  };
}

const registryServer = (name: string, more: object = {}) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: `io.github.example/${name}`,
  description: 'The weather.',
  version: '1.0.2',
  ...more,
});

test('a registry’s server.json adds its streamable HTTP remotes, and skips SSE and packages', async () => {
  const name = `weather-${unique()}`;
  const document = registryServer(name, {
    remotes: [
      { type: 'streamable-http', url: 'https://mcp.example.com/mcp', headers: [] },
      { type: 'sse', url: 'https://mcp.example.com/sse' },
    ],
    packages: [
      { registryType: 'npm', identifier: '@example/weather', transport: { type: 'stdio' } },
    ],
  });

  const { upstreams, missing, skipped } = await importDocument(document);

  expect(upstreams).toMatchObject([{ name, url: 'https://mcp.example.com/mcp', header_names: [] }]);
  expect(missing).toEqual([]);
  expect(skipped).toMatchObject([
    { name, code: 'unsupported_server' },
    { name: '@example/weather', code: 'unsupported_server' },
  ]);
});

test('variables of a server.json are filled; what is missing is listed, without the header', async () => {
  const name = `tenant-${unique()}`;
  const document = {
    server: registryServer(name, {
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.example.com/{region}/mcp',
          variables: { region: { default: 'eu' }, tenant: { isRequired: true } },
          headers: [
            { name: 'Authorization', value: 'Bearer {token}', isRequired: true, isSecret: true },
            { name: 'X-Team', value: '{team}', variables: { team: { default: 'blue' } } },
            { name: 'X-Key', isRequired: true, isSecret: true },
            { name: 'X-Optional' },
          ],
        },
      ],
    }),
  };

  const without = await importDocument(document);
  const filled = await importDocument(document, { tenant: 'acme' });
  const whole = await importDocument(
    { server: { ...document.server, name: `x/${name}-2` } },
    { tenant: 'acme', token: 't' },
  );

  expect(without).toMatchObject({ upstreams: [], skipped: [{ name, code: 'missing_variable' }] });
  expect(filled.upstreams).toMatchObject([
    { url: 'https://acme.example.com/eu/mcp', header_names: ['x-team'] },
  ]);
  expect(filled.missing).toMatchObject([
    {
      name,
      headers: [
        { name: 'Authorization', variables: ['token'] },
        { name: 'X-Key', variables: [] },
      ],
    },
  ]);
  expect(whole.upstreams).toMatchObject([{ header_names: ['authorization', 'x-team'] }]);
});

test.each(['mcpServers', 'servers'])(
  'a client’s file with %s adds remote servers, and skips programs with the reason',
  async (member) => {
    const id = unique();
    const document = {
      inputs: [{ id: 'token', type: 'promptString', password: true }],
      [member]: {
        [`Git Hub ${id}`]: {
          type: 'http',
          url: 'https://api.example.com/mcp',
          headers: { Authorization: 'Bearer ${input:token}', 'X-Plain': 'yes' },
        },
        [`env-${id}`]: { url: 'https://${HOST:-api.example.com}/mcp', headers: { A: '${KEY}' } },
        [`gemini-${id}`]: { httpUrl: 'https://api.example.com/g' },
        [`files-${id}`]: { command: 'npx', args: ['-y', 'files'], env: { TOKEN: 'secret' } },
        [`old-${id}`]: { type: 'sse', url: 'https://api.example.com/sse' },
        [`none-${id}`]: {},
        [`local-${id}`]: { url: 'http://10.0.0.1/mcp' },
      },
    };

    const { upstreams, missing, skipped } = await importDocument(document);

    expect(upstreams.map(({ name, url, header_names }) => [name, url, header_names])).toEqual([
      [`git-hub-${id}`, 'https://api.example.com/mcp', ['x-plain']],
      [`env-${id}`, 'https://api.example.com/mcp', []],
      [`gemini-${id}`, 'https://api.example.com/g', []],
    ]);
    expect(missing).toMatchObject([
      { name: `git-hub-${id}`, headers: [{ name: 'Authorization', variables: ['token'] }] },
      { name: `env-${id}`, headers: [{ name: 'A', variables: ['KEY'] }] },
    ]);
    expect(skipped.map(({ name, code }) => [name, code])).toEqual([
      [`files-${id}`, 'unsupported_server'],
      [`old-${id}`, 'unsupported_server'],
      [`none-${id}`, 'invalid_document'],
      [`local-${id}`, 'url_not_allowed'],
    ]);
  },
);

test('an imported server works, with the secret that was sent, which is not returned', async () => {
  const name = `sdk-${unique()}`;
  const document = { mcpServers: { [name]: { url: v2.url, headers: { 'X-Token': '${TOKEN}' } } } };

  const { body, upstreams } = await importDocument(document, { TOKEN: 'canary-value' });

  expect(JSON.stringify(body)).not.toContain('canary-value');
  const tools = await ada.rest(`/api/me/upstreams/${upstreams[0]!.id}/tools`);
  expect(tools.body.data.length).toBeGreaterThan(0);
  expect(v2.seen.at(-1)!.headers['x-token']).toBe('canary-value');
});

test('a repeated import adds nothing: the names are taken', async () => {
  const document = { mcpServers: { [unique()]: { url: 'https://example.com/mcp' } } };
  await importDocument(document);

  const { upstreams, skipped } = await importDocument(document);

  expect([upstreams, skipped.map(({ code }) => code)]).toEqual([[], ['name_taken']]);
});

test('beyond the plan’s limit, servers are skipped', async () => {
  const author = await newAuthor();
  const entries = Array.from({ length: 52 }, (_, index) => [
    `s${index}`,
    { url: 'https://example.com/mcp' },
  ]);

  const imported = await importDocument({ servers: Object.fromEntries(entries) }, {}, author);

  expect(imported.upstreams).toHaveLength(50);
  expect(imported.skipped.map(({ code }) => code)).toEqual(['limit_reached', 'limit_reached']);
});

test.each<[string, object]>([
  ['neither', { tools: [] }],
  ['a list', { mcpServers: [] }],
  [
    'too many servers',
    { servers: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`s${i}`, {}])) },
  ],
])('a document with %s gets 422', async (_what, document) => {
  const { status, body } = await importDocument(document);

  expect(faultsOf({ status, body })).toEqual([422, 'unsupported_document /document']);
});

test.each<[string, object]>([
  ['entries that are no objects', { servers: { a: 1, b: null, c: 'x', d: [] } }],
  ['remotes that are no objects', registryServer('x', { remotes: [1, null, 'x', []] })],
  [
    'headers that are no texts',
    { servers: { a: { url: 'https://example.com', headers: { a: 1 } } } },
  ],
  ['a long URL', { servers: { a: { url: `https://example.com/${'{a}'.repeat(10_000)}` } } }],
  [
    'line breaks in a header',
    { servers: { a: { url: 'https://example.com', headers: { a: 'x\r\ny: z' } } } },
  ],
  ['a name of which nothing is left', { servers: { 検索: { url: 'https://example.com' } } }],
])('hostile %s add no server and are skipped, or only miss the header', async (_what, document) => {
  const author = await newAuthor();

  const { status, upstreams, missing } = await importDocument(document, {}, author);

  expect(status).toBe(200);
  expect(upstreams).toHaveLength(missing.length);
});
