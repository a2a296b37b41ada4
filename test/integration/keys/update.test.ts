import { expect, test } from 'vitest';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createKeyring } from '../../support/people/keyring.ts';
import { codes, createKeyOperations, unknownId } from './managing.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { fromHere } from '../../support/from-here.ts';

const ring = await closeAfterTests(createKeyring(await createDeployment()));

const { create, update } = createKeyOperations(() => ring);

test('only the fields sent are changed', async () => {
  const account = await ring.addAccount();
  const { secret: _secret, ...created } = await create(account, {
    name: 'bot',
    mcp_capabilities: ['tools'],
    expires_at: '2100-01-01T00:00:00Z',
  });

  const changed = await update(account, created.id, {
    name: 'robot',
    tool_policy: { mode: 'whitelist', tools: [ring.tools[0]!.id] },
  });

  const expected = {
    ...created,
    name: 'robot',
    tool_policy: { mode: 'whitelist', tools: [ring.tools[0]!.id] },
  };
  expect(changed).toEqual(expected);
  expect(await update(account, created.id, {})).toEqual(expected);
  expect(await update(account, created.id, { expires_at: null, default_agent_id: null })).toEqual({
    ...expected,
    expires_at: null,
  });
});

test('an edit that changes nothing returns the key and does not raise the revision', async () => {
  const account = await ring.addAccount();
  const fields = {
    name: 'bot',
    grants: [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }],
    mcp_capabilities: ['tools'],
    tool_policy: { mode: 'whitelist', tools: [ring.tools[0]!.id] },
    expires_at: '2100-01-01T00:00:00Z',
  };
  const { secret: _secret, ...created } = await create(account, fields);
  const { scopes } = await ring.session(account);

  for (const edit of [{}, fields, { expires_at: '2100-01-01T02:00:00+02:00' }])
    expect(await update(account, created.id, edit)).toEqual(created);

  expect((await ring.session(account)).scopes).toEqual(scopes);
  for (const edit of [{ name: 'Bot' }, { grants: [] }, { expires_at: null }])
    expect(await update(account, created.id, edit)).toMatchObject(edit);
  expect((await ring.session(account)).scopes[0]!.revision).toBe(scopes[0]!.revision + 3);
});

test('removed capabilities and grants stop working with the next request', async () => {
  const account = await ring.addAccount();
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }];
  const { id, secret } = await create(account, { mcp_capabilities: ['tools'], grants });

  await update(account, id, { mcp_capabilities: ['prompts'], grants: [] });

  const caller = await ring.credentials.authenticate(secret, fromHere);
  expect((await ring.authz.context(caller)).capabilities).toEqual(new Set(['prompts']));
  expect((await ring.authz.check(caller, ['can_see'])).get('can_see')).toBe(false);
});

test('an update is validated like a new key, in the same order', async () => {
  const account = await ring.addAccount();
  await create(account, { name: 'taken' });
  const { id } = await create(account, { name: 'bot' });

  expect(await codes(update(account, id, { name: 'taken', default_agent_id: unknownId }))).toEqual([
    'conflict',
    'name_taken /name',
  ]);
  expect(await codes(update(account, id, { default_agent_id: unknownId }))).toEqual([
    'unprocessable',
    'agent_unavailable /default_agent_id',
  ]);
  expect((await update(account, id, { name: 'bot' })).name).toBe('bot');
});

test('a policy that lost its last item may be sent back unchanged, but not created', async () => {
  const account = await ring.addAccount();
  const tool_policy = { mode: 'whitelist', tools: [ring.tools[0]!.id] };
  const { id } = await create(account, { tool_policy });
  const emptied = { mode: 'whitelist', tools: [] };
  const refused = ['unprocessable', 'empty_list /tool_policy/tools'];

  expect(await codes(update(account, id, { tool_policy: emptied }))).toEqual(refused);
  await ring.database.authPool.query('UPDATE api_key SET tool_policy = $1 WHERE id = $2', [
    JSON.stringify(emptied),
    id,
  ]);
  expect(await update(account, id, { tool_policy: emptied })).toMatchObject({
    tool_policy: emptied,
  });
});
