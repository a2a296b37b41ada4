import { accountCodes } from './codes/account-codes.ts';
import { contentCodes } from './codes/content-codes.ts';
import { importCodes } from './codes/import-codes.ts';
import { mcpCodes } from './codes/mcp-codes.ts';
import type { Meaning } from './codes/meaning.ts';
import { oauthCodes } from './codes/oauth-codes.ts';
import { requestCodes } from './codes/request-codes.ts';
import { scimCodes } from './codes/scim-codes.ts';
import { ssoCodes } from './codes/sso-codes.ts';
import { toolCodes } from './codes/tool-codes.ts';

const codes = {
  ...requestCodes,
  ...accountCodes,
  ...contentCodes,
  ...importCodes,
  ...mcpCodes,
  ...scimCodes,
  ...ssoCodes,
  ...oauthCodes,
  ...toolCodes,
};

/** All codes of errors and problems that clients may rely on. A code is never renamed. */
export type ErrorCode = keyof typeof codes;

export const errorCodes: Readonly<Record<ErrorCode, Meaning>> = codes;
