import { errorsOf } from '../../../src/gateway/rest/declared-errors.ts';
import { accountCodes } from '../../../src/platform/errors/codes/account-codes.ts';
import { contentCodes } from '../../../src/platform/errors/codes/content-codes.ts';
import { importCodes } from '../../../src/platform/errors/codes/import-codes.ts';
import { mcpCodes } from '../../../src/platform/errors/codes/mcp-codes.ts';
import type { Meaning } from '../../../src/platform/errors/codes/meaning.ts';
import { oauthCodes } from '../../../src/platform/errors/codes/oauth-codes.ts';
import { requestCodes } from '../../../src/platform/errors/codes/request-codes.ts';
import { scimCodes } from '../../../src/platform/errors/codes/scim-codes.ts';
import { ssoCodes } from '../../../src/platform/errors/codes/sso-codes.ts';
import { toolCodes } from '../../../src/platform/errors/codes/tool-codes.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

/** Statuses of errors that the HTTP parser or the router finds before an operation begins. */
const BEFORE_ROUTES: Readonly<Record<string, number>> = {
  bad_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  expectation_failed: 417,
  headers_too_large: 431,
};
const MAX_NAMED = 4;

const sections: [title: string, codes: Readonly<Record<string, Meaning>>][] = [
  ['Requests', requestCodes],
  ['Accounts, organizations and keys', accountCodes],
  ['Single sign-on', ssoCodes],
  ['OAuth clients', oauthCodes],
  ['Items, custom tools and upstreams', contentCodes],
  ['Imports', importCodes],
  ['SCIM', scimCodes],
  ['The MCP endpoint', mcpCodes],
  ['Tool calls', toolCodes],
];

/** Returns, for each code and status, the operations whose responses may carry it. */
async function operationsByCode(): Promise<Map<string, Map<number, string[]>>> {
  const found = new Map<string, Map<number, string[]>>();
  for (const route of await declaredRoutes())
    for (const [status, codes] of errorsOf(route))
      for (const code of codes) {
        const statuses = found.get(code) ?? new Map<number, string[]>();
        found.set(code, statuses);
        statuses.set(status, [...(statuses.get(status) ?? []), route.operation_id]);
      }
  return found;
}

function restCell(code: string, statuses: ReadonlyMap<number, string[]> | undefined): string {
  const before = BEFORE_ROUTES[code];
  const named = [...(statuses ?? [])].map(([status, ids]) => {
    if (status === before) return `${status} in any operation`;
    return ids.length > MAX_NAMED
      ? `${status} in many operations`
      : `${status} in ${ids.toSorted().join(', ')}`;
  });
  const early = before === undefined || statuses?.has(before) === true ? [] : [String(before)];
  if (code in importCodes) named.push('`skipped` or `warnings` of an import');
  if (code === 'interrupted') named.push('`errors` of a job');
  return [...early, ...named].join('; ');
}

function rowOf(
  code: string,
  meaning: Meaning,
  statuses: ReadonlyMap<number, string[]> | undefined,
) {
  const mcp = [meaning.mcp ?? []].flat().join('; ');
  return `| \`${code}\` | ${meaning.text} | ${restCell(code, statuses)} | ${mcp} |`;
}

/** Generates `docs/errors.md`. */
export async function errorsPage(): Promise<string> {
  const operations = await operationsByCode();
  const tables = sections.map(([title, codes]) => {
    const rows = Object.entries(codes)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, meaning]) => rowOf(code, meaning, operations.get(code)));
    return `## ${title}\n\n| Code | Meaning, and what to do | REST | MCP |\n| - | - | - | - |\n${rows.join('\n')}\n`;
  });
  return `# Errors

Every error has a code, which never changes, and a message, which may. Decide by the code.

- REST: \`{"errors": [{"code", "message", "detail"}]}\`, one element for each problem. \`detail.pointer\` is a
  JSON pointer to the field, if there is one. The API reference at \`/docs/api\` lists the codes of each
  operation by status.
- MCP, HTTP status: a JSON-RPC error whose \`data.code\` is the code, with this status.
- MCP, JSON-RPC error: HTTP 200 with an error whose \`data.code\` is the code; \`data.issues\` locates each problem.
- MCP, tool error: a result with \`isError\`; its \`structuredContent.error\` has \`code\`, \`message\` and
  \`details\`. Management tools return the codes of the REST operation that does the same.
- A code without an entry belongs to a feature that is not served yet.

This page is generated from \`src/platform/errors/codes\` and the routes;
\`npm test -- --project unit -u test/unit/gateway/errors-page.test.ts\` rewrites it.

${tables.join('\n')}`;
}
