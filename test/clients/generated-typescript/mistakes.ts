// Each statement has one mistake, which the types of the generated client must find.
import { createApiKey } from './toolgate/index.js';
import type { KeyDraft } from './toolgate/index.js';

export const unknownField: KeyDraft = { name: 'one', mcp_capabilities: [], capability: 'tools' };
export const unknownValue: KeyDraft = { name: 'two', mcp_capabilities: ['tool'] };
export const missingField: KeyDraft = { name: 'three' };
export const created = await createApiKey({ body: { name: 'four', mcp_capabilities: [] } });
export const secret = created.data?.token;
