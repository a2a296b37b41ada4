import { z } from 'zod';
import { boundedList } from '../../../platform/json/bounded-list.ts';
import { HttpRecord } from '../schema.ts';

const MAX_OPERATIONS = 200;

/**
 * An OpenAPI 3.0 or 3.1 document, or its URL: of JSON or YAML, up to 20 MB; `operations` names each
 * operation to import as `operationId` or `GET /path`.
 */
export const ToolImport = z
  .object({
    document: z.record(z.string(), z.unknown()).optional(),
    url: z.string().min(1).max(2_048).optional(),
    operations: boundedList(z.string().min(1).max(300), MAX_OPERATIONS).optional(),
  })
  .refine(({ document, url }) => (document === undefined) !== (url === undefined), {
    message: 'must have either `document` or `url`',
  })
  .meta({
    id: 'ToolImport',
    description: 'Each operation becomes a custom tool, or is skipped with a reason.',
  });
export type ToolImport = z.infer<typeof ToolImport>;

/** A tool created from an operation; its warnings are among those of the import. */
export const ImportedTool = HttpRecord.omit({ warnings: true })
  .extend({
    operation: z.string(),
    needs: z.array(z.object({ secret: z.string(), holds: z.string() })),
  })
  .meta({ id: 'ImportedTool' });

/**
 * The created tools, each with the secrets to set; the skipped operations with the reason; and what
 * the tools lack, or what some model APIs refuse about them.
 */
export const ToolImported = z
  .object({
    tools: z.array(ImportedTool),
    skipped: z.array(z.object({ operation: z.string(), code: z.string(), message: z.string() })),
    warnings: z.array(
      z.object({
        operation: z.string(),
        code: z.string(),
        message: z.string(),
        detail: z.object({
          pointer: z
            .string()
            .describe(
              'JSON Pointer into the document; with `not_portable`, into the tool of the operation.',
            ),
        }),
      }),
    ),
  })
  .meta({ id: 'ImportedTools' });
