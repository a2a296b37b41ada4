import { z } from 'zod';
import { capabilities } from './permissions.ts';

/** A family of items that a credential may use over MCP. */
export const McpCapability = z.enum(capabilities).meta({ id: 'McpCapability' });
