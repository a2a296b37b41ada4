import { hash } from 'node:crypto';
import { canonicalJson } from '../../platform/json/canonical-json.ts';
import type { UpstreamTool } from './schema.ts';

/**
 * A hash over all a model or a person is told of a tool, so that a description that changed after
 * it was looked at is another one (B8-8). Neither the order of keys nor what is null matters.
 */
export function pinOf(tool: Omit<UpstreamTool, 'pin'>): string {
  const { name, title, description, input_schema, output_schema, annotations } = tool;
  const told = { name, title, description, input_schema, output_schema, annotations };
  return hash('sha256', canonicalJson(told), 'base64url');
}
