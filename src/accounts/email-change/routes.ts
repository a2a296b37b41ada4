import { accepted, defineRoute, ok } from '../../caller/route.ts';
import { managedErrors, ownSignInErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import {
  EmailChange,
  EmailChangeRequested,
  EmailChangeConfirmed,
  EmailLink,
  EmailChangeUndone,
} from '../schema.ts';

export const emailChangeRoutes = ({ emailChange }: Pick<Accounts, 'emailChange'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/email',
    access: { interactive: 'manage_account' },
    reauthentication: 'by_handler',
    operation_id: 'requestEmailChange',
    summary: 'Request an address change',
    description:
      'Sends a link to the new address, which is valid for a day. The address changes when it is used. The response does not reveal whether the address is taken.',
    tag: 'E-mail address',
    body: EmailChange,
    responses: { 202: EmailChangeRequested },
    errors: [
      { 400: ['invalid_email'], 503: ['email_unavailable'] },
      managedErrors,
      ownSignInErrors,
    ],
    async handle({ caller, body, request }) {
      await emailChange.request(caller, body, request);
      return accepted({ status: 'confirmation_sent' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/email/confirm',
    access: 'public',
    operation_id: 'confirmEmailChange',
    summary: 'Confirm an address change',
    description:
      'Uses the token of the link in the e-mail to the new address. Ends other sessions.',
    tag: 'E-mail address',
    body: EmailLink,
    responses: { 200: EmailChangeConfirmed },
    errors: { 422: ['token_invalid'] },
    async handle({ body, request }) {
      await emailChange.confirm(body.token, request);
      return ok({ status: 'confirmed' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/email/undo',
    access: 'public',
    operation_id: 'undoEmailChange',
    summary: 'Undo an address change',
    description:
      'Uses the token of the link in the e-mail to the earlier address. Ends all sessions.',
    tag: 'E-mail address',
    body: EmailLink,
    responses: { 200: EmailChangeUndone },
    errors: { 422: ['token_invalid'] },
    async handle({ body, request }) {
      await emailChange.undo(body.token, request);
      return ok({ status: 'undone' });
    },
  }),
];
