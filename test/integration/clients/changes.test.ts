import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { createItem } from '../../support/worlds/items.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { connectClient } from '../mcp/key-holder.ts';
import { connectV1Client, connectV2Client } from '../mcp/legacy/client.ts';

const { world, gateway } = await useGateway();
// Items change on one instance, and clients are notified by another.
const endpoint = `${(await world.gateway()).url}/mcp`;
const ada = await signUp(world, gateway);
const { secret } = await createKey(ada, { mcp_capabilities: ['prompts'] });

/** Expects two notifications, since a session's first one may have another cause. */
async function receiveTwice(
  name: string,
  client: { listPrompts(): Promise<{ prompts: { name: string }[] }> },
  onChange: (listener: () => void) => void,
): Promise<void> {
  for (const promptName of [`${name}-1`, `${name}-2`]) {
    const notified = new Promise<void>((resolve) => {
      onChange(resolve);
    });
    await createItem(ada, 'prompts', {
      name: promptName,
      messages: [{ role: 'user', content: 'Hello.' }],
    });
    await notified;

    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toContain(promptName);
  }
}

test('SDK v1 is notified of each new prompt, and lists it', async () => {
  const { client } = await connectV1Client(endpoint, secret);
  await receiveTwice('first', client, (listener) => {
    client.setNotificationHandler(PromptListChangedNotificationSchema, listener);
  });
  await client.close();
});

test.each([
  ['in its legacy mode', 'second', connectV2Client],
  ['that listens', 'third', connectClient],
])('SDK v2 %s is notified of each new prompt, and lists it', async (_mode, name, connect) => {
  const client = await connect(endpoint, secret);
  const subscription =
    connect === connectClient ? await client.listen({ promptsListChanged: true }) : null;
  await receiveTwice(name, client, (listener) => {
    client.setNotificationHandler('notifications/prompts/list_changed', listener);
  });
  await subscription?.close();
  await client.close();
});
