import { z } from 'zod';
import { planNames } from '../platform/config/plans.ts';

/**
 * The structure of a seed file: who has what. Its entries are the bodies of the REST routes that
 * create them, with names instead of ids, so the schemas of those routes check their other fields.
 */
const MAX_ENTRIES = 1_000;

const list = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).max(MAX_ENTRIES).default([]);
const Text = z.string().min(1).max(254);
const Names = z.array(Text).max(MAX_ENTRIES);

const Named = z.looseObject({ name: Text });

/** A condition names its item instead of giving its id. */
const Agent = z.looseObject({
  name: Text,
  components: z
    .array(
      z.looseObject({
        when: z
          .looseObject({ tool: Text.optional(), prompt: Text.optional(), agent: Text.optional() })
          .nullish(),
      }),
    )
    .max(MAX_ENTRIES)
    .optional(),
});
export type Agent = z.infer<typeof Agent>;

const Content = {
  custom_tools: list(Named),
  resources: list(z.looseObject({ path: Text })),
  prompts: list(Named),
  agents: list(Agent),
};
export type Content = { [Family in keyof typeof Content]: z.infer<(typeof Content)[Family]> };

/** Lists of an item policy, by name; patterns need no names. */
const Policy = z.looseObject({
  tools: Names.optional(),
  custom_tools: Names.optional(),
  prompts: Names.optional(),
  platform_prompts: Names.optional(),
  agents: Names.optional(),
});
export type Policy = z.infer<typeof Policy>;

const Grant = z.looseObject({
  scope: Text.describe('`personal`, or the name of an organization.'),
});

const organizationKey = {
  name: Text,
  teams: Names.optional(),
  default_agent: Text.optional(),
};
const OrganizationKey = z.looseObject(organizationKey);
const Key = z.looseObject({
  ...organizationKey,
  runs_in: Text.optional(),
  grants: z.array(Grant).max(MAX_ENTRIES).optional(),
  tool_policy: Policy.optional(),
  prompt_policy: Policy.optional(),
  agent_policy: Policy.optional(),
});
export type Key = z.infer<typeof Key>;

const Client = z.looseObject({ name: Text, teams: Names.optional() });
export type Client = z.infer<typeof Client>;

/** Built-in items that are selected; without any of these fields, the selection stays as it is. */
const Selection = { tools: Names.optional(), platform_prompts: Names.optional() };

const Person = z.strictObject({
  email: Text,
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  locale: z.string().default('en'),
  plan: z.enum(planNames).optional(),
  ...Selection,
  ...Content,
  keys: list(Key),
  oauth_clients: list(Client),
});
export type Person = z.infer<typeof Person>;

const Member = z.strictObject({ email: Text, roles: Names.default([]) });

const Team = z.strictObject({
  name: Text,
  title: z.string().optional(),
  description: z.string().optional(),
  members: list(Member),
  policies: z
    .strictObject({
      tool: Policy.optional(),
      resource: Policy.optional(),
      prompt: Policy.optional(),
      agent: Policy.optional(),
    })
    .default({}),
  ...Content,
});
export type Team = z.infer<typeof Team>;

const Organization = z.strictObject({
  name: Text,
  owner: Text,
  plan: z.enum(planNames).optional(),
  roles: list(Named),
  team_roles: list(Named),
  members: list(Member),
  ...Selection,
  organization_wide_tools: Names.optional(),
  organization_wide_prompts: Names.optional(),
  ...Content,
  teams: list(Team),
  keys: list(OrganizationKey),
  oauth_clients: list(Client),
});
export type Organization = z.infer<typeof Organization>;

/** A seed file. An unknown field is an error. */
export const SeedFile = z.strictObject({
  people: list(Person),
  organizations: list(Organization),
});
export type SeedFile = z.infer<typeof SeedFile>;
