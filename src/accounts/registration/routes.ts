import { created, defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import {
  LetterAnswer,
  LetterRequest,
  Registration,
  RegistrationAnswer,
  Verification,
  VerificationAnswer,
} from '../schema.ts';

export const registrationRoutes = ({ registration }: Pick<Accounts, 'registration'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/register',
    access: 'public',
    summary: 'Registers; the same answer whether or not the address is known.',
    tag: 'Account',
    body: Registration,
    responses: { 201: RegistrationAnswer },
    undone_late: true,
    async handle({ body, request, beforeCommit }) {
      await registration.register(body, request, beforeCommit);
      return created({ status: 'verification_sent' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/resend-verification',
    access: 'public',
    summary: 'Asks for another verification letter; 200 means accepted and nothing more.',
    tag: 'Account',
    body: LetterRequest,
    responses: { 200: LetterAnswer },
    undone_late: true,
    async handle({ body, request, beforeCommit }) {
      await registration.resend(body, request, beforeCommit);
      return ok({ status: 'accepted' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/verify-email',
    access: 'public',
    summary: 'Verifies the address a link was sent to. Does not sign in.',
    tag: 'Account',
    body: Verification,
    responses: { 200: VerificationAnswer },
    async handle({ body, request }) {
      await registration.verify(body.token, request);
      return ok({ status: 'verified' });
    },
  }),
];
