import { createTransport } from 'nodemailer';
import { withTimeout } from '../platform/concurrency/within.ts';
import type { Email } from './emails.ts';

/** Result of handing one e-mail to the mail server. */
export type Delivery =
  | { outcome: 'accepted' }
  /** The server did not respond or refused the session, so the recipient may still be valid. */
  | { outcome: 'unavailable'; reason: string }
  /** A temporary failure of this e-mail. */
  | { outcome: 'deferred'; reason: string }
  /** No such mailbox: 550, 551 or 553 at RCPT. */
  | { outcome: 'no_mailbox'; reason: string }
  | { outcome: 'refused'; reason: string };

export interface TransportOptions {
  url: string;
  from: string;
  /** Domain of each Message-ID. */
  hostname: string;
  verifyMs?: number;
  deliveryMs?: number;
}

const VERIFY_MS = 2_000;
const DELIVERY_MS = 5_000;

/**
 * Creates a connection pool for e-mails; checks use separate connections with their own deadline.
 */
export function createMailTransport(options: TransportOptions) {
  const verifyMs = options.verifyMs ?? VERIFY_MS;
  const deliveryMs = options.deliveryMs ?? DELIVERY_MS;
  // No e-mail may make the library read a file or fetch a URL.
  const noFileOrUrlAccess = { disableFileAccess: true, disableUrlAccess: true };
  const checks = createTransport({
    url: options.url,
    ...noFileOrUrlAccess,
    ...deadlines(verifyMs),
  });
  const pool = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 2,
    maxMessages: 50,
    ...noFileOrUrlAccess,
    ...deadlines(deliveryMs),
  });
  return {
    /** Connects, waits for the greeting, sends EHLO and AUTH; throws if one of them fails. */
    async verify() {
      await withTimeout(checks.verify(), verifyMs, timeoutError);
    },
    /** All attempts of one `id` share one Message-ID, so that duplicates can be recognized. */
    async send(id: string, address: string, email: Email): Promise<Delivery> {
      try {
        await withTimeout(
          pool.sendMail({
            from: options.from,
            messageId: `<${id}@${options.hostname}>`,
            // An object, because a string could be parsed into several addresses.
            to: { name: '', address },
            subject: email.subject,
            text: email.text,
            html: email.html,
            headers: {
              'Auto-Submitted': 'auto-generated',
              'Content-Language': email.language,
            },
          }),
          deliveryMs,
          timeoutError,
        );
        return { outcome: 'accepted' };
      } catch (error) {
        return classify(error);
      }
    },
    close() {
      checks.close();
      pool.close();
    },
  };
}
export type MailTransport = ReturnType<typeof createMailTransport>;

const deadlines = (milliseconds: number) => ({
  connectionTimeout: milliseconds,
  greetingTimeout: milliseconds,
  socketTimeout: milliseconds,
  dnsTimeout: milliseconds,
});

class DeadlineExceeded extends Error {}

const timeoutError = () => new DeadlineExceeded('timeout: no response from the mail server');

/** Classifies an error: replies to MAIL, RCPT or DATA concern this e-mail, others the server. */
function classify(error: unknown): Delivery {
  const { responseCode, command, message } = describe(error);
  const reason = `${command ?? 'connection'} ${responseCode ?? ''} ${message}`.slice(0, 300);
  const isAboutEmail = /^(?:MAIL|RCPT|DATA|BDAT)/.test(command ?? '');
  if (responseCode === undefined || !isAboutEmail) return { outcome: 'unavailable', reason };
  if (responseCode < 500) return { outcome: 'deferred', reason };
  const isMailbox = [550, 551, 553].includes(responseCode) && command!.startsWith('RCPT');
  return { outcome: isMailbox ? 'no_mailbox' : 'refused', reason };
}

function describe(error: unknown) {
  const fields = Object(error) as { responseCode?: unknown; command?: unknown; message?: unknown };
  return {
    responseCode: typeof fields.responseCode === 'number' ? fields.responseCode : undefined,
    command: typeof fields.command === 'string' ? fields.command : undefined,
    message: String(fields.message),
  };
}
