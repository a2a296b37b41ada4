import { hash } from 'node:crypto';
import type { UpstreamTool } from './schema.ts';

/**
 * A hash over all a model or a person is told of a tool, so that a description that changed after
 * it was looked at is another one (B8-8). Neither the order of keys nor what is null matters.
 */
export function pinOf(tool: Omit<UpstreamTool, 'pin'>): string {
  const { name, title, description, input_schema, output_schema, annotations } = tool;
  const told = { name, title, description, input_schema, output_schema, annotations };
  return hash('sha256', canonical(told), 'base64url');
}

/** JSON with the keys of every object in the order of their code units (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
