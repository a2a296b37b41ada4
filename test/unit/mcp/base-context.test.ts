import { expect, test } from 'vitest';
import { baseContext } from '../../../src/mcp/system/base-context.ts';

const view = { capabilities: new Set(['tools'] as const) };
const organization = { id: 'acme' } as never;
const listing = { tool_listing: 'all' } as const;

test('in an account the base context names its settings and no organization', () => {
  const text = baseContext(view, { ...listing, organization: null, person: 'ada' });

  expect(text).toContain('the account’s MCP settings');
  expect(text).not.toMatch(/organization|team|me__/);
});

test('in an organization the base context names its settings and explains the names of items', () => {
  const text = baseContext(view, { ...listing, organization, person: 'ada' });

  expect(text).toContain('the organization’s MCP settings');
  expect(text).toContain('<team>__');
  expect(text).toContain('me__');
  expect(text).not.toContain('account');
});

test('for a credential of an organization the base context names no items of a user', () => {
  const text = baseContext(view, { ...listing, organization, person: null });

  expect(text).toContain('<team>__');
  expect(text).not.toContain('me__');
});

test('a credential that searches for its tools is told how, if it has any', () => {
  const caller = { tool_listing: 'search', organization: null, person: 'ada' } as const;

  expect(baseContext(view, caller)).toContain('call them with `run_tool`');
  expect(baseContext({ capabilities: new Set() }, caller)).not.toContain('run_tool');
  expect(baseContext(view, { ...caller, ...listing })).not.toContain('run_tool');
});
