import { z } from 'zod';
import { IdList, ItemId } from '../../policies/policy.ts';

/** The built-in items that an account's agents get. Replaced as a whole; empty at first (S8). */
export const McpSettings = z
  .object({
    tools: IdList,
    platform_prompts: IdList,
  })
  .meta({ id: 'McpSettings' });
export type McpSettings = z.infer<typeof McpSettings>;

/**
 * The built-in items that an organization selected. Replaced as a whole; organization-wide items
 * must be selected, and the others are accessible only if a team's policy allows this (S8).
 */
export const OrganizationMcpSettings = McpSettings.extend({
  organization_wide_tools: IdList,
  organization_wide_prompts: IdList,
}).meta({ id: 'OrganizationMcpSettings' });
export type OrganizationMcpSettings = z.infer<typeof OrganizationMcpSettings>;

const jsonSchema = z.record(z.string(), z.unknown());

/** A built-in tool, selected or not. */
export const CatalogTool = z
  .object({
    id: ItemId,
    name: z.string(),
    title: z.string(),
    description: z.string(),
    input_schema: jsonSchema,
    output_schema: jsonSchema,
    annotations: z.record(z.string(), z.boolean()),
  })
  .meta({ id: 'CatalogTool' });
export type CatalogTool = z.infer<typeof CatalogTool>;

/** A built-in prompt, selected or not. */
export const CatalogPrompt = z
  .object({
    id: ItemId,
    name: z.string(),
    title: z.string(),
    description: z.string(),
    arguments: z.array(
      z.object({ name: z.string(), description: z.string(), required: z.boolean() }),
    ),
  })
  .meta({ id: 'CatalogPrompt' });
export type CatalogPrompt = z.infer<typeof CatalogPrompt>;

/** Left out for callers without `can_view_organization_mcp_settings`. */
const selectionFlags = {
  selected: z.boolean().optional().describe('Only with `can_view_organization_mcp_settings`.'),
  organization_wide: z
    .boolean()
    .optional()
    .describe('Only with `can_view_organization_mcp_settings`.'),
};

/** A built-in item as an organization sees it. */
export const OrganizationCatalogTool = CatalogTool.extend(selectionFlags).meta({
  id: 'OrganizationCatalogTool',
});
export type OrganizationCatalogTool = z.infer<typeof OrganizationCatalogTool>;
export const OrganizationCatalogPrompt = CatalogPrompt.extend(selectionFlags).meta({
  id: 'OrganizationCatalogPrompt',
});
export type OrganizationCatalogPrompt = z.infer<typeof OrganizationCatalogPrompt>;

/**
 * A built-in tool that a key's policy may name. The key can access it only if it is selected, too.
 */
export const ScopableTool = z
  .object({
    id: ItemId,
    name: z.string(),
    title: z.string(),
    selected: z.boolean(),
  })
  .meta({ id: 'ScopableTool' });
export type ScopableTool = z.infer<typeof ScopableTool>;
