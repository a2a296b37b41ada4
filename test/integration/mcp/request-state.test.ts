import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { withFixtures } from '../../support/conformance/fixture-methods.ts';
import { inputTools } from '../../support/conformance/input-tools.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { ask, createKeyHolder } from './key-holder.ts';

const world = await closeAfterTests(createWorld());
const options = {
  overrides: { catalog: createCatalog(inputTools), mcp: { extend: withFixtures } },
};
const ada = await createKeyHolder(world, await world.gateway(options));
const otherEndpoint = `${(await world.gateway(options)).url}/mcp`;
await ada.select(inputTools.map(({ name }) => name));
const { secret } = await ada.createKey();

test('the state of an unfinished call is valid on any instance, for its own credential only (B3-37)', async () => {
  const call = (endpoint: string, key: string, more: object = {}) =>
    ask(endpoint, { 'x-api-key': key }, 'tools/call', {
      name: 'test_input_required_result_request_state',
      arguments: {},
      ...more,
    });
  const first = await call(ada.endpoint, secret);
  const { requestState } = first.body.result as unknown as { requestState: string };
  const inputResponses = { confirm: { action: 'accept', content: { ok: true } } };
  const otherSecret = (await ada.createKey()).secret;

  const foreign = await call(ada.endpoint, otherSecret, { requestState, inputResponses });
  const own = await call(otherEndpoint, secret, { requestState, inputResponses });

  expect(foreign.body.error).toMatchObject({ code: -32602 });
  expect(own.body.result).toMatchObject({ content: [{ text: 'state-ok' }] });
});
