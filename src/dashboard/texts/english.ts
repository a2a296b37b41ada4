import type access from './en/access.json';
import type accounts from './en/accounts.json';
import type audit from './en/audit.json';
import type clients from './en/clients.json';
import type connect from './en/connect.json';
import type connections from './en/connections.json';
import type content from './en/content.json';
import type firstRun from './en/first-run.json';
import type frame from './en/frame.json';
import type keys from './en/keys.json';
import type mcp from './en/mcp.json';
import type organizations from './en/organizations.json';
import type overview from './en/overview.json';
import type palette from './en/palette.json';
import type permissions from './en/permissions.json';
import type settings from './en/settings.json';
import type tryIt from './en/try.json';
import type usage from './en/usage.json';

/** The texts in English, from one file for each area; other languages have the same keys. */
interface Files {
  access: typeof access;
  accounts: typeof accounts;
  audit: typeof audit;
  clients: typeof clients;
  connect: typeof connect;
  connections: typeof connections;
  content: typeof content;
  'first-run': typeof firstRun;
  frame: typeof frame;
  keys: typeof keys;
  mcp: typeof mcp;
  organizations: typeof organizations;
  overview: typeof overview;
  palette: typeof palette;
  permissions: typeof permissions;
  settings: typeof settings;
  try: typeof tryIt;
  usage: typeof usage;
}

/** A file of texts, which a page loads in the language that is shown. */
export type Area = keyof Files;

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Result,
) => void
  ? Result
  : never;

/** All texts, whose names are unique among the areas. */
export type Texts = Intersection<Files[Area]>;
