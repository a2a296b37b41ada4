import { created, defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { formErrors } from '../captcha/form-errors.ts';
import {
  EmailRequest,
  EmailRequestResponse,
  Registration,
  RegistrationResponse,
  Verification,
  VerificationResponse,
} from '../schema.ts';

export const registrationRoutes = ({ registration }: Pick<Accounts, 'registration'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    operation_id: 'registerAccount',
    summary: 'Register an account',
    description:
      'Sends an e-mail with a link that verifies the address and is valid for a day. The response does not reveal whether the address has an account.',
    tag: 'Sign-up',
    body: Registration,
    responses: { 201: RegistrationResponse },
    errors: {
      ...formErrors,
      400: ['invalid_email', 'invalid_locale', 'invalid_name', 'weak_password'],
      422: [...formErrors[422], 'token_invalid', 'invitation_for_another_address'],
      429: ['rate_limited'],
    },
    rolls_back_late: true,
    async handle({ body, request, beforeCommit }) {
      await registration.register(body, request, beforeCommit);
      return created({ status: 'verification_sent' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/resend-verification',
    access: 'public',
    operation_id: 'resendVerificationEmail',
    summary: 'Resend the verification e-mail',
    description:
      'The response 200 only means that the request was accepted. It does not reveal whether the address has an account.',
    tag: 'Sign-up',
    body: EmailRequest,
    responses: { 200: EmailRequestResponse },
    errors: formErrors,
    rolls_back_late: true,
    async handle({ body, request, beforeCommit }) {
      await registration.resend(body, request, beforeCommit);
      return ok({ status: 'accepted' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/verify-email',
    access: 'public',
    operation_id: 'verifyEmail',
    summary: 'Verify an e-mail address',
    description: 'Uses the token of the e-mailed link. It does not sign the person in.',
    tag: 'Sign-up',
    body: Verification,
    responses: { 200: VerificationResponse },
    errors: { 422: ['token_invalid'] },
    async handle({ body, request }) {
      await registration.verify(body.token, request);
      return ok({ status: 'verified' });
    },
  }),
];
