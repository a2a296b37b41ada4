import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { CurrentPassword, SHOWN_ONCE } from '../../caller/schema.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import { visibleName } from '../../platform/text/visible-name.ts';

const NAME_CHARACTERS = 100;

export const TokenParams = OrganizationParams.extend({
  token_id: z.guid().toLowerCase().describe('Id of the SCIM token.'),
});
export type TokenParams = z.infer<typeof TokenParams>;

export const TokenDraft = z
  .object({
    name: visibleName(NAME_CHARACTERS)
      .default('SCIM')
      .describe('What the token is for, such as the name of the directory.'),
    current_password: CurrentPassword,
  })
  .meta({ id: 'ScimTokenDraft' });
export type TokenDraft = z.infer<typeof TokenDraft>;

export const TokenRecord = z
  .object({
    id: z.guid(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the token.'),
    created_by: z
      .object({ account_id: z.guid(), email: z.string().nullable() })
      .nullable()
      .describe('Null once the account is deleted.'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ScimToken' });
export type TokenRecord = z.infer<typeof TokenRecord>;

/** The only response that contains the token. */
export const CreatedToken = TokenRecord.extend({
  token: z.string().optional().describe(`The bearer token. ${SHOWN_ONCE}`),
}).meta({ id: 'CreatedScimToken' });
export type CreatedToken = TokenRecord & { token: string };

export const TokenList = wholeList(TokenRecord).meta({ id: 'ScimTokenList' });
export type TokenList = z.infer<typeof TokenList>;
