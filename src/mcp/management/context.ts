import type { ToolContext } from '../../catalog/catalog.ts';
import type { ItemFamily } from '../../content/content.ts';
import type { Call } from '../protocol/call.ts';
import type { ParsedArguments } from './arguments.ts';

export const verbs = ['list', 'get', 'create', 'update', 'patch', 'delete'] as const;
export type Verb = (typeof verbs)[number];
export type Noun = ItemFamily['noun'];

/** The content operations of the REST API, performed for an agent. */
export interface Management {
  perform(verb: Verb, noun: Noun, call: Call, input: ParsedArguments): Promise<unknown>;
  grep(call: Call, input: ParsedArguments, context: GrepContext): Promise<unknown>;
}

export type GrepContext = Pick<
  ToolContext,
  'workers' | 'signal' | 'fairnessKey' | 'now' | 'requirePermitted'
>;

/** Gives management tools access to their own call, which is decided again if authority changes. */
export interface ManagementContext extends ToolContext {
  manage<T>(work: (management: Management, call: Call) => Promise<T>): Promise<T>;
}
