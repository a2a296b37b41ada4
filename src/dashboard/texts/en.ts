import accounts from './en/accounts.json';
import clients from './en/clients.json';
import connect from './en/connect.json';
import connections from './en/connections.json';
import content from './en/content.json';
import frame from './en/frame.json';
import keys from './en/keys.json';
import mcp from './en/mcp.json';
import organizations from './en/organizations.json';
import overview from './en/overview.json';
import palette from './en/palette.json';
import settings from './en/settings.json';
import usage from './en/usage.json';

/** The texts in English, from one file for each area; other languages have the same keys. */
export const texts = {
  ...accounts,
  ...clients,
  ...connect,
  ...connections,
  ...content,
  ...frame,
  ...keys,
  ...mcp,
  ...organizations,
  ...overview,
  ...palette,
  ...settings,
  ...usage,
};
