import { accepted, defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import {
  EmailChange,
  EmailChangeAnswer,
  EmailConfirmed,
  EmailLink,
  EmailUndone,
} from '../schema.ts';

export const emailChangeRoutes = ({ emailChange }: Pick<Accounts, 'emailChange'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/user/email',
    access: { interactive: 'manage_account' },
    summary: 'Asks for another address; the same answer whether or not somebody has it.',
    tag: 'Account',
    body: EmailChange,
    responses: { 202: EmailChangeAnswer },
    async handle({ caller, body, request }) {
      await emailChange.ask(caller, body, request);
      return accepted({ status: 'confirmation_sent' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/email/confirm',
    access: 'public',
    summary: 'Changes the address to the one a link was sent to; other sessions end.',
    tag: 'Account',
    body: EmailLink,
    responses: { 200: EmailConfirmed },
    async handle({ body, request }) {
      await emailChange.confirm(body.token, request);
      return ok({ status: 'confirmed' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/user/email/undo',
    access: 'public',
    summary: 'Brings back the address a link was sent to; all sessions end.',
    tag: 'Account',
    body: EmailLink,
    responses: { 200: EmailUndone },
    async handle({ body, request }) {
      await emailChange.undo(body.token, request);
      return ok({ status: 'undone' });
    },
  }),
];
