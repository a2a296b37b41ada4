import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../platform/errors/operator-error.ts';
import type { Api } from './api.ts';

const EMAIL_WAIT_MS = 30_000;

/** An e-mail with a link whose token the quick start needs. */
export interface LinkEmail {
  to: string;
  /** As the user sees it in their mailbox. */
  name: 'verification e-mail' | 'invitation';
  /** Path of the page that the link opens. */
  path: '/verify' | '/invite';
  /** When it was requested. */
  since: number;
}

/** Asks the user for the link in an e-mail. */
export type AskForLink = (email: LinkEmail) => Promise<string>;

/** Returns the token of the link: from `/dev/mail.json`, or from the user if mail is real. */
export async function readLink(
  api: Api,
  email: LinkEmail,
  askForLink: AskForLink,
): Promise<string> {
  const token = (await readStored(api, email)) ?? tokenIn(await askForLink(email), email);
  if (token) return token;
  throw new OperatorError(
    `That is not the link of the ${email.name}. Copy the whole link and try again.`,
  );
}

interface LocalEmail {
  to: string;
  text: string;
  at: string;
}

/** Reads the token from `/dev/mail.json`; null if the gateway sends real mail. */
async function readStored(api: Api, email: LinkEmail): Promise<string | null> {
  for (const until = Date.now() + EMAIL_WAIT_MS; Date.now() < until; await sleep(200)) {
    const emails = await api<LocalEmail[]>('GET', '/dev/mail.json').catch(() => null);
    if (emails === null) return null;
    const tokens = emails
      .filter(({ to, at }) => to.includes(email.to) && Date.parse(at) >= email.since - 1_000)
      .map(({ text }) => tokenIn(text, email));
    const token = tokens.find((one) => one !== undefined);
    if (token) return token;
  }
  throw new OperatorError(`The ${email.name} did not arrive. Check the gateway’s log.`);
}

const tokenIn = (text: string, { path }: LinkEmail): string | undefined =>
  new RegExp(`${path}#token=([\\w.-]+)`).exec(text)?.[1];
