import type { Command } from 'commander';
import { OperatorError } from '../../platform/errors/operator-error.ts';
import { createApi } from '../api.ts';
import type { Api } from '../api.ts';
import { parseGatewayUrl } from '../gateway-url.ts';

/** How the commands about access reach an organization, and how they print what they find. */
export interface AccessFlags {
  url: string;
  organization?: string;
  json?: true;
  csv?: true;
}

/** Adds the options that all commands about access have. */
export const withAccessOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'URL of the gateway', parseGatewayUrl, 'http://localhost:7070')
    .option('--organization <id>', 'the organization, if the key reaches several')
    .option('--json', 'print JSON, one entry per line')
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      '\nThe key is read from TOOLGATE_API_KEY; it needs can_view_organization_audit.',
    );

/** What the commands ask: an organization over REST. */
export interface Organization {
  path: string;
  api: Api;
}

/** Returns the organization that the key reaches; throws with what to do if there is no such one. */
export async function connectTo({ url, organization }: AccessFlags): Promise<Organization> {
  const key = process.env['TOOLGATE_API_KEY'];
  if (key === undefined || key === '')
    throw new OperatorError(
      'set TOOLGATE_API_KEY to a key with can_view_organization_audit for the organization',
    );
  const api = createApi(url, { 'x-api-key': key });
  const { data } = await api<{ data: { id: string; name: string }[] }>('GET', '/api/organizations');
  const found = data.filter(({ id }) => organization === undefined || id === organization);
  if (found.length === 0)
    throw new OperatorError('the key reaches no such organization: give it a grant for it');
  if (found.length > 1)
    throw new OperatorError(
      `the key reaches several organizations: choose one with --organization:\n${found
        .map(({ id, name }) => `  ${id}  ${name}`)
        .join('\n')}`,
    );
  return { path: `/api/organizations/${found[0]!.id}`, api };
}

/** Yields the entries of a list, page by page. */
export async function* entriesOf<Entry>(api: Api, path: string): AsyncGenerator<Entry> {
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
    const page: { data: Entry[]; next_cursor: string | null } = await api(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`,
    );
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
