import { describe, expect, test } from 'vitest';
import { faultsOf } from '../content/author.ts';
import { call, createToolWorld, KEY, keyOf, path } from './tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const tools = await closeAfterTests(createToolWorld());

describe('custom tools over REST', () => {
  test('a tool is created, listed, read, changed and deleted; only its secrets’ names are returned', async () => {
    const created = await tools.ada.rest(path, tools.draft({ name: 'round' }));
    const toolPath = `${path}/${created.body.id}`;

    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
    expect(created.body).toMatchObject({
      name: 'round',
      title: null,
      kind: 'http',
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      http: {
        ...tools.http(),
        query: {},
        timeout_ms: 10_000,
        response: { format: 'auto', query: null },
      },
      secrets: ['KEY'],
      missing_secrets: [],
    });
    expect((await tools.ada.rest(toolPath)).body).toEqual(created.body);
    const { data } = (await tools.ada.rest(path)).body;
    expect(data.find(({ id }) => id === created.body.id)).toMatchObject({ name: 'round' });
    expect((await tools.ada.rest(`${path}/scopable`)).body.data).toContainEqual({
      id: created.body.id,
      name: 'round',
    });
    const changed = await tools.ada.rest(toolPath, { title: 'Weather' }, 'PATCH');
    expect(changed.body).toMatchObject({ title: 'Weather', version: 2, secrets: ['KEY'] });
    expect((await tools.ada.rest(toolPath, undefined, 'DELETE')).status).toBe(204);
    expect((await tools.ada.rest(toolPath)).status).toBe(404);
  });

  test('no response, export or row contains the value of a secret', async () => {
    const { body } = await tools.ada.rest(path, tools.draft());
    const toolPath = `${path}/${body.id}`;
    await tools.ada.rest(toolPath, { secrets: { KEY: `${KEY}-2` } }, 'PATCH');
    const answers = await Promise.all(
      [toolPath, path, `${toolPath}/versions`, `${toolPath}/versions/1`, '/api/user/export'].map(
        (url) => tools.ada.rest(url),
      ),
    );
    const rows = await Promise.all(
      ['item', 'item_version', 'tool_secret', 'audit_event'].map((table) =>
        tools.world.query(`SELECT to_jsonb(t)::text AS row FROM ${table} t`),
      ),
    );

    expect(JSON.stringify(answers.map((answer) => answer.body))).not.toContain(KEY);
    expect(JSON.stringify(answers[4]?.body['custom_tools'])).toContain('"secrets":["KEY"]');
    expect(JSON.stringify(rows)).not.toContain(KEY);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(KEY).toString('hex'));
  });

  test('a secret is bound to its origin: for another origin it must be set again', async () => {
    const { body } = await tools.ada.rest(path, tools.draft());
    const toolPath = `${path}/${body.id}`;

    const moved = await tools.ada.rest(
      toolPath,
      { http: tools.http({ url: 'https://evil.example/{{city}}' }) },
      'PATCH',
    );
    expect(moved.body).toMatchObject({ secrets: [], missing_secrets: ['KEY'] });
    const back = await tools.ada.rest(`${toolPath}/versions/1/restore`, {}, 'POST');
    expect(back.body).toMatchObject({ secrets: ['KEY'], missing_secrets: [] });
    const withoutSecret = await tools.ada.rest(toolPath, { secrets: { KEY: null } }, 'PATCH');
    expect(withoutSecret.body).toMatchObject({ secrets: [], missing_secrets: ['KEY'] });
  });

  test.each<[change: string, http: object]>([
    ['to another header', { headers: { 'x-text': 'Bearer {{secret.KEY}}' } }],
    ['into other text of its header', { headers: { authorization: 'Basic {{secret.KEY}}' } }],
    ['from its header into the body', { headers: {}, body: { text: '{{secret.KEY}}' } }],
    ['from its header into the query', { headers: {}, query: { q: '{{secret.KEY}}' } }],
    ['to a second place', { body: { days: '{{days}}', text: '{{secret.KEY}}' } }],
  ])('a secret that moves %s must be set again', async (_change, http) => {
    const { body } = await tools.ada.rest(path, tools.draft());
    const toolPath = `${path}/${body.id}`;
    const elsewhere = tools.http(http);

    const moved = await tools.ada.rest(toolPath, { http: elsewhere }, 'PATCH');
    expect(moved.body).toMatchObject({ secrets: [], missing_secrets: ['KEY'] });
    const back = await tools.ada.rest(`${toolPath}/versions/1/restore`, {}, 'POST');
    expect(back.body).toMatchObject({ secrets: [], missing_secrets: ['KEY'] });
    const set = { http: elsewhere, secrets: { KEY } };
    const again = await tools.ada.rest(toolPath, set, 'PATCH');
    expect(again.body).toMatchObject({ secrets: ['KEY'], missing_secrets: [] });
    const restored = await tools.ada.rest(`${toolPath}/versions/1/restore`, {}, 'POST');
    expect(restored.body).toMatchObject({ secrets: [], missing_secrets: ['KEY'] });
  });

  test('a secret stays set when its tool is sent again with its keys in the original order', async () => {
    const ordered = tools.http({
      headers: { 'x-longer-name': '{{secret.KEY}}', auth: 'Bearer {{secret.KEY}}' },
    });
    const { body } = await tools.ada.rest(path, tools.draft({ http: ordered }));
    const change = { title: 'New', http: ordered };

    const changed = await tools.ada.rest(`${path}/${body.id}`, change, 'PATCH');

    // PostgreSQL stores the headers in another order.
    expect(Object.keys((body['http'] as { headers: object }).headers)[0]).toBe('auth');
    expect(changed.body).toMatchObject({ title: 'New', secrets: ['KEY'], missing_secrets: [] });
  });

  test.each<[change: string, from: object, to: object]>([
    [
      'the encoding of its parameter',
      { headers: {}, query: { q: '{{secret.KEY}}' } },
      { encoding: { query: { q: { content_type: 'application/json' } } } },
    ],
    [
      'the media type of its body',
      { headers: {}, body: { q: '{{secret.KEY}}' } },
      { headers: { 'content-type': 'multipart/form-data' } },
    ],
  ])('a secret must be set again after a change of %s', async (_change, from, to) => {
    const { status, body } = await tools.ada.rest(path, tools.draft({ http: tools.http(from) }));
    expect([status, body['secrets']]).toEqual([201, ['KEY']]);

    const http = tools.http({ ...from, ...to });
    const changed = await tools.ada.rest(`${path}/${body.id}`, { http }, 'PATCH');

    expect(changed.body).toMatchObject({ secrets: [], missing_secrets: ['KEY'] });
  });

  test('a secret stays set while the rest of its tool changes', async () => {
    const { body } = await tools.ada.rest(path, tools.draft());
    const http = tools.http({ url: `${tools.upstream.origin}/v2/{{city}}`, body: { units: 'c' } });

    const changed = await tools.ada.rest(`${path}/${body.id}`, { title: 'New', http }, 'PATCH');

    expect(changed.body).toMatchObject({ title: 'New', secrets: ['KEY'], missing_secrets: [] });
  });

  test.each([
    ['no name', () => ({ name: undefined }), [400]],
    ['a name with `__`', () => ({ name: 'a__b' }), [400]],
    ['a name with a slash', () => ({ name: 'a/b' }), [400]],
    ['no description', () => ({ description: '' }), [400]],
    ['another kind', () => ({ kind: 'shell' }), [400]],
    ['a timeout above a minute', () => ({ http: tools.http({ timeout_ms: 60_001 }) }), [400]],
    ['the name of a system tool', () => ({ name: 'bootstrap' }), [409, 'name_taken /name']],
    ['the name of a built-in tool', () => ({ name: 'calculator' }), [409, 'name_taken /name']],
    [
      'a schema whose type is not object',
      () => ({
        input_schema: { type: 'array' },
        http: tools.http({ method: 'GET', url: tools.upstream.origin, body: null }),
      }),
      [422, 'invalid_input_schema /input_schema/type'],
    ],
    [
      'a private address',
      () => ({ http: tools.http({ url: 'https://10.0.0.1/{{city}}' }) }),
      [422, 'address_not_public /http/url'],
    ],
    [
      'http to a host that is not allowed',
      () => ({ http: tools.http({ url: 'http://api.example/{{city}}' }) }),
      [422, 'url_not_allowed /http/url'],
    ],
    [
      'an undeclared placeholder',
      () => ({ http: tools.http({ body: '{{none}}' }) }),
      [422, 'unknown_placeholder /http/body'],
    ],
    [
      'an unclosed placeholder',
      () => ({ http: tools.http({ headers: { authorization: 'Bearer {{secret.KEY}' } }) }),
      [422, 'invalid_template /http/headers/authorization'],
    ],
    [
      'an unused secret',
      () => ({ secrets: { KEY, OTHER: 'x' } }),
      [422, 'unknown_secret /secrets/OTHER'],
    ],
  ])('%s is refused and nothing is saved', async (_what, fields, [status, ...codes]) => {
    const before = (await tools.bob.rest(path)).body.data.length;

    const answer = await tools.bob.rest(path, tools.draft(fields()));

    expect(answer.status).toBe(status);
    if (codes.length > 0) expect(faultsOf(answer)).toEqual([status, ...codes]);
    expect((await tools.bob.rest(path)).body.data).toHaveLength(before);
  });

  test('another account’s tool is not found, and a key needs the permission', async () => {
    const { body } = await tools.ada.rest(path, tools.draft());
    const toolPath = `${path}/${body.id}`;
    const reader = await tools.ada.createKey({
      grants: [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }],
    });
    const asReader = tools.ada.restWith(reader.secret);

    expect((await tools.bob.rest(toolPath)).body).toEqual(
      (await tools.bob.rest(`${path}/${crypto.randomUUID()}`)).body,
    );
    expect((await asReader(toolPath)).status).toBe(200);
    expect((await asReader(toolPath, { title: 'x' }, 'PATCH')).status).toBe(403);
    expect((await asReader(`${path}/import`, { document: {} })).status).toBe(403);
  });
});

describe('an OpenAPI document', () => {
  const document = () => ({
    openapi: '3.1.0',
    servers: [{ url: tools.upstream.origin }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/pets/{id}': {
        get: {
          operationId: 'getPet',
          summary: 'One pet',
          security: [{ token: [] }],
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        },
        delete: { operationId: 'calculator' },
      },
    },
  });

  test('becomes tools that work once their secrets are set', async () => {
    const { status, body } = await tools.ada.rest(`${path}/import`, { document: document() });
    const [pet] = body['tools'] as { id: string; name: string }[];

    expect(status).toBe(200);
    expect(body['tools']).toMatchObject([
      {
        operation: 'GET /pets/{id}',
        name: 'get_pet',
        missing_secrets: ['TOKEN'],
        needs: [{ secret: 'TOKEN', holds: 'an access token' }],
      },
    ]);
    expect(body['skipped']).toMatchObject([
      { operation: 'DELETE /pets/{id}', code: 'invalid_document' },
    ]);
    await tools.ada.rest(`${path}/${pet!.id}`, { secrets: { TOKEN: KEY } }, 'PATCH');
    const answer = await call(tools.ada, await keyOf(tools.ada), 'get_pet', { id: 7 });
    expect(answer.result.structuredContent['result']).toMatchObject({
      method: 'GET',
      url: '/pets/7',
    });
  });

  test('is refused in another format, and operations beyond the plan are skipped', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`/p${index}`, { get: {} }]),
    );
    const author = await tools.newAuthor();

    const refused = await author.rest(`${path}/import`, { document: { swagger: '2.0' } });
    const { body } = await author.rest(`${path}/import`, { document: { ...document(), paths } });

    expect(faultsOf(refused)).toEqual([422, 'unsupported_document /document']);
    expect(body['tools']).toHaveLength(50);
    expect((body['skipped'] as { code: string }[]).map(({ code }) => code)).toEqual(
      Array.from({ length: 10 }, () => 'limit_reached'),
    );
  });
});
