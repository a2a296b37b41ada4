import { defineRoute, noContent, ok } from '../../caller/route.ts';
import { managedErrors, ownSignInErrors } from '../../caller/route-errors.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { formErrors } from '../captcha/form-errors.ts';
import {
  EmailRequest,
  EmailRequestResponse,
  PasswordChange,
  PasswordReset,
  PasswordResetResponse,
} from '../schema.ts';

export const passwordRoutes = ({
  passwordReset,
  changePassword,
}: Pick<Accounts, 'passwordReset' | 'changePassword'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/password/reset',
    access: 'public',
    operation_id: 'requestPasswordReset',
    summary: 'Request a password reset',
    description:
      'Sends an e-mail with a reset link, which is valid for one hour. The response 200 only means that the request was accepted.',
    tag: 'Password',
    body: EmailRequest,
    responses: { 200: EmailRequestResponse },
    errors: formErrors,
    rolls_back_late: true,
    async handle({ body, request, beforeCommit }) {
      await passwordReset.request(body, request, beforeCommit);
      return ok({ status: 'accepted' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/password/reset/confirm',
    access: 'public',
    operation_id: 'resetPassword',
    summary: 'Reset a forgotten password',
    description: 'Uses the token of a reset link. Ends all sessions of the account.',
    tag: 'Password',
    body: PasswordReset,
    responses: { 200: PasswordResetResponse },
    errors: { 400: ['weak_password'], 422: ['token_invalid'] },
    async handle({ body, request }) {
      await passwordReset.confirm(body, request);
      return ok({ status: 'password_set' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/password',
    access: { interactive: 'ownership' },
    reauthentication: 'by_handler',
    operation_id: 'changePassword',
    summary: 'Change your password',
    description: 'Ends all other sessions.',
    tag: 'Password',
    body: PasswordChange,
    responses: { 204: null },
    errors: [{ 400: ['weak_password'] }, managedErrors, ownSignInErrors],
    async handle({ caller, body, request }) {
      await changePassword(caller, body, request);
      return noContent();
    },
  }),
];
