import type { ToolContext } from '../../catalog/tool.ts';
import type { ItemFamily } from '../../content/items/items.ts';
import type { Call } from '../protocol/call.ts';
import type { Parsed } from './arguments.ts';

export const verbs = ['list', 'get', 'create', 'update', 'patch', 'delete'] as const;
export type Verb = (typeof verbs)[number];
export type Noun = ItemFamily['noun'];

/** The content operations of REST, on behalf of an agent. */
export interface Management {
  perform(verb: Verb, noun: Noun, call: Call, input: Parsed): Promise<unknown>;
  grep(call: Call, input: Parsed, context: GrepContext): Promise<unknown>;
}

export type GrepContext = Pick<ToolContext, 'workers' | 'signal' | 'fairKey' | 'now'>;

/** Adds access to the tool's own call, which is decided again if its authority changes. */
export interface ManagementContext extends ToolContext {
  manage<T>(work: (management: Management, call: Call) => Promise<T>): Promise<T>;
}
