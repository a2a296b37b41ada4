import { hash } from 'node:crypto';
import { canonicalJson } from '../../platform/json/canonical-json.ts';
import type { UpstreamTool } from './schema.ts';

/**
 * Hashes every field of a tool that a model or a person sees, so that a change after its approval
 * gives it a different pin (B8-8). Key order and null fields make no difference.
 */
export function pinOf(tool: Omit<UpstreamTool, 'pin'>): string {
  const { name, title, description, input_schema, output_schema, annotations } = tool;
  const shown = { name, title, description, input_schema, output_schema, annotations };
  return hash('sha256', canonicalJson(shown), 'base64url');
}

/** Hashes what people and models see of a prompt or resource before they read it. */
export const contentPinOf = (described: object): string =>
  hash('sha256', canonicalJson(described), 'base64url');
