import accounts from './en/accounts.json';
import connect from './en/connect.json';
import content from './en/content.json';
import frame from './en/frame.json';
import keys from './en/keys.json';
import mcp from './en/mcp.json';
import overview from './en/overview.json';

/** The texts in English, from one file for each area; other languages have the same keys. */
export const texts = {
  ...accounts,
  ...connect,
  ...content,
  ...frame,
  ...keys,
  ...mcp,
  ...overview,
};
