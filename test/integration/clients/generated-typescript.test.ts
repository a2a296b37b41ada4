import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createClientProject,
  installGenerator,
} from '../../support/clients/generated-typescript.ts';
import type { ClientProject } from '../../support/clients/generated-typescript.ts';
import { signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

const isInstalled = await installGenerator();

let world: World;
let gateway: Gateway;
let project: ClientProject | undefined;
beforeAll(async () => {
  world = await createWorld();
  gateway = await world.gateway();
  if (isInstalled) project = await createClientProject(`${gateway.url}/api/openapi.json`);
});
afterAll(async () => {
  await project?.remove();
  await world?.close();
});

test.skipIf(!isInstalled)(
  'a TypeScript client generated from the document compiles and does the quickstart',
  async () => {
    const { email, password } = await signUp(world, gateway);

    expect(await project!.compile('quickstart.ts')).toBe('');
    const variables = { TOOLGATE_EMAIL: email, TOOLGATE_PASSWORD: password };
    const printed = await project!.run('quickstart.ts', variables);

    expect(printed.trim().split('\n')).toEqual([
      'signed in as Ada',
      'selected 2 tools',
      expect.stringMatching(/^secret sk_/),
      'a second key of this name: 409 name_taken',
      'names Release agent',
      'capabilities tools',
      'names ',
      'after revoking: 404 not_found',
    ]);
  },
);

test.skipIf(!isInstalled)(
  'a TypeScript program with a field or value that the document lacks does not compile',
  async () => {
    const errors = await project!.compile('mistakes.ts');

    expect(errors.match(/^mistakes\.ts.*/gm)).toEqual([
      expect.stringContaining("'capability' does not exist in type 'KeyDraft'"),
      expect.stringContaining(`Type '"tool"' is not assignable to type 'McpCapability'`),
      expect.stringContaining("Type '{ name: string; }' is not assignable to type 'KeyDraft'"),
      expect.stringContaining("Property 'token' does not exist on type 'CreatedKey'"),
    ]);
    expect(errors).toContain("Property 'mcp_capabilities' is missing");
  },
);
