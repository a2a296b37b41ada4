import { expect } from 'vitest';
import { quickstart } from '../../src/cli/quickstart.ts';
import { calculate } from '../integration/mcp/key-holder.ts';
import { newEmail } from '../support/people/people.ts';

/** Signs a new user up, as `npx toolgate quickstart` does, and returns a key that has been used. */
export async function createKey(url: string): Promise<string> {
  const { key } = await quickstart({
    url,
    email: newEmail(),
    password: null,
    askForLink: () => Promise.reject(new Error('the mail sink has the link')),
    progress: () => undefined,
  });
  await expectCall(url, key);
  return key;
}

/** Expects that a tool call with this key succeeds. */
export async function expectCall(url: string, key: string): Promise<void> {
  expect(await calculate(url, key)).toMatchObject({ result: 42 });
}
