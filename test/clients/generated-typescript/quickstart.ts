// Selects two tools, creates a key for them, lists the keys, reads the new one and revokes it.
// `npx @hey-api/openapi-ts --input http://localhost:7070/api/openapi.json --output toolgate`
// generates the client.
import { env } from 'node:process';
import { client } from './toolgate/client.gen.js';
import {
  createApiKey,
  getApiKey,
  listApiKeys,
  listCatalogTools,
  replaceMcpSettings,
  revokeApiKey,
  signIn,
} from './toolgate/index.js';
import type { Errors, KeyDraft, McpSettings, SessionStarted } from './toolgate/index.js';

const email = env['TOOLGATE_EMAIL'] ?? '';
const password = env['TOOLGATE_PASSWORD'] ?? '';

const session = await startSession();
client.setConfig({
  // An operation names several credentials; a request must have one.
  auth: ({ scheme }) => (scheme === 'bearer' ? session.access_token : undefined),
});
console.log(`signed in as ${session.user.first_name}`);

const catalog = await listCatalogTools({ query: { limit: 200 }, throwOnError: true });
const tools = catalog.data.data.filter(({ name }) => ['calculator', 'csv_to_json'].includes(name));
const settings: McpSettings = { tools: tools.map(({ id }) => id), platform_prompts: [] };
const selected = await replaceMcpSettings({ body: settings, throwOnError: true });
console.log(`selected ${selected.data.tools.length} tools`);

const draft: KeyDraft = { name: 'Release agent', mcp_capabilities: ['tools'] };
const created = await createApiKey({ body: draft, throwOnError: true });
console.log(`secret ${created.data.secret}`);
const twice = await createApiKey({ body: draft });
console.log(`a second key of this name: ${twice.response?.status} ${codesOf(twice.error)}`);
console.log(`names ${(await names()).join(', ')}`);

const path = { key_id: created.data.id };
const key = await getApiKey({ path, throwOnError: true });
console.log(`capabilities ${key.data.mcp_capabilities.join(', ')}`);

await revokeApiKey({ path, throwOnError: true });
console.log(`names ${(await names()).join(', ')}`);

const again = await getApiKey({ path });
console.log(`after revoking: ${again.response?.status} ${codesOf(again.error)}`);

async function startSession(): Promise<SessionStarted> {
  const { data } = await signIn({ body: { email, password }, throwOnError: true });
  if (!('access_token' in data)) throw new Error('This account asks for a second factor.');
  return data;
}

async function names(): Promise<string[]> {
  const { data } = await listApiKeys({ throwOnError: true });
  return data.data.map(({ name }) => name);
}

function codesOf(errors?: Errors): string {
  return errors?.errors.map(({ code }) => code).join(', ') ?? 'no error';
}
