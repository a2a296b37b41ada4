import { hash } from 'node:crypto';
import { canonicalJson } from '../../platform/json/canonical-json.ts';
import type { UpstreamTool } from './schema.ts';

/**
 * Hashes everything a model or a person sees of a tool, so that a description that changed after
 * its approval has another pin (B8-8). The order of keys and fields of null do not matter.
 */
export function pinOf(tool: Omit<UpstreamTool, 'pin'>): string {
  const { name, title, description, input_schema, output_schema, annotations } = tool;
  const told = { name, title, description, input_schema, output_schema, annotations };
  return hash('sha256', canonicalJson(told), 'base64url');
}
