/** Policies that admit everything, as stored in a key's row. */
export const openPolicies = {
  tool_policy: { mode: 'all' },
  resource_policy: { mode: 'all' },
  prompt_policy: { mode: 'all' },
  agent_policy: { mode: 'all' },
} as const;
