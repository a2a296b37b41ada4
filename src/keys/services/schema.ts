import type { z } from 'zod';
import { publication } from '../../platform/http/publication.ts';
import { KeyDraft, KeyEdit } from '../schema.ts';

/** Makes a field one that is still read, so that sending it is refused, but not published. */
function omitted<Field extends z.ZodType>(field: Field): Field {
  const own = field.clone();
  publication.add(own, { as: 'omitted' });
  return own;
}

/** Policies are those of its teams (K1), and it runs in its organization. */
export const OrganizationKeyDraft = KeyDraft.extend({
  org_scope: omitted(KeyDraft.shape.org_scope),
  tool_policy: omitted(KeyDraft.shape.tool_policy),
  resource_policy: omitted(KeyDraft.shape.resource_policy),
  prompt_policy: omitted(KeyDraft.shape.prompt_policy),
  agent_policy: omitted(KeyDraft.shape.agent_policy),
}).meta({ id: 'OrganizationKeyDraft' });

export const OrganizationKeyEdit = KeyEdit.extend({
  tool_policy: omitted(KeyEdit.shape.tool_policy),
  resource_policy: omitted(KeyEdit.shape.resource_policy),
  prompt_policy: omitted(KeyEdit.shape.prompt_policy),
  agent_policy: omitted(KeyEdit.shape.agent_policy),
}).meta({ id: 'OrganizationKeyEdit' });
