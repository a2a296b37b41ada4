import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPythonProject, findPythonTools } from '../../support/clients/generated-python.ts';
import type { PythonProject } from '../../support/clients/generated-python.ts';
import { signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

const tools = await findPythonTools();

let world: World;
let gateway: Gateway;
let project: PythonProject | undefined;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
  if (tools) project = await createPythonProject(`${gateway.url}/api/openapi.json`, tools);
});
afterAll(async () => {
  await project?.remove();
  await world?.close();
});

const ABSENT = tools ? '' : ' (skipped: it needs npm’s registry, Java, Python and python3-urllib3)';

test.skipIf(!tools)(
  `a Python client generated from the document compiles and does the quickstart${ABSENT}`,
  async () => {
    const { email, password } = await signUp(world, gateway);

    expect(await project!.compile()).toBe('');
    const variables = { TOOLGATE_EMAIL: email, TOOLGATE_PASSWORD: password };
    const printed = await project!.run('quickstart.py', variables);

    expect(printed.trim().split('\n')).toEqual([
      'signed in as Ada',
      'selected 2 tools',
      expect.stringMatching(/^secret sk_/),
      'a second key of this name: 409 name_taken',
      "names ['Release agent']",
      "capabilities ['tools']",
      'names []',
      'after revoking: 404 not_found',
    ]);
  },
);

test.skipIf(!tools)(
  `a Python client refuses a field that the document lacks, and a draft that lacks one${ABSENT}`,
  async () => {
    const printed = await project!.run('mistakes.py');

    expect(printed.trim().split('\n')).toEqual([
      expect.stringContaining("unexpected keyword argument 'capability'"),
      expect.stringContaining('`mcp_capabilities`, must not be `None`'),
    ]);
  },
);
