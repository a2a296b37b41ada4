import { errorCodes } from '../platform/errors/error-codes.ts';
import type { Problem } from '../platform/errors/refusal.ts';

/** The media type of every response with a body (RFC 7644, section 3.1). */
export const SCIM_TYPE = 'application/scim+json';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const BAD_REQUEST = 400;
const CONFLICT = 409;

/** How an error is sent: SCIM has no 422, and `scimType` belongs to 400 and 409 only. */
export function scimError(status: number, { code, message }: Pick<Problem, 'code' | 'message'>) {
  const sent = status === 422 ? BAD_REQUEST : status;
  const scimType = errorCodes[code].scim ?? fallback[sent];
  return {
    status: sent,
    body: {
      schemas: [ERROR],
      status: String(sent),
      ...(scimType !== undefined && (sent === BAD_REQUEST || sent === CONFLICT)
        ? { scimType }
        : {}),
      detail: message,
    },
  };
}

/** Of a malformed body or query, and of a name that is taken. */
const fallback: Readonly<Record<number, string>> = {
  [BAD_REQUEST]: 'invalidSyntax',
  [CONFLICT]: 'uniqueness',
};
