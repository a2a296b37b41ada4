import { createHmac } from 'node:crypto';
import type { Queryable, Database } from '../platform/postgres/database.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createEmailTemplates } from './emails.ts';
import type { Email } from './emails.ts';
import { createProbe } from './probe.ts';
import { deleteEmails, insertCappedJob, insertJobs } from './store.ts';
import type { HourlyCaps, MailJob } from './store.ts';
import { createMailTransport } from './transport.ts';
import { createMailWorker } from './worker.ts';
import type { Claim, Composer, MailWorker } from './worker.ts';

export type { Claim, Composer, Email, MailJob };

/** An e-mail to queue; it is composed from the rows that exist when it is sent. */
export interface NewEmail {
  kind: string;
  address: string;
  /** Id of the row that the e-mail is about. */
  subject_id?: string;
  /** Language of the e-mail if its row will be deleted before it is sent. */
  locale?: string;
  try_hours?: number;
}

const DEFAULTS = { subject_id: null, locale: null, try_hours: 24 };
const jobOf = (email: NewEmail) => ({ ...DEFAULTS, id: newId(), ...email });

export interface MailDependencies {
  database: Database;
  secrets: Pick<Secrets, 'subkeys'>;
  log: Log;
  config: { SMTP_URL: string; MAIL_FROM: string; PUBLIC_URL: string };
}

export function createMail({ database, secrets, log, config }: MailDependencies) {
  const { host, hostname } = new URL(config.PUBLIC_URL);
  const transport = createMailTransport({ url: config.SMTP_URL, from: config.MAIL_FROM, hostname });
  const probe = createProbe({ verify: transport.verify });
  const [key] = secrets.subkeys('mail/link');
  const tokenOf = (jobId: string) => createHmac('sha256', key).update(jobId).digest('base64url');
  let worker: MailWorker | null = null;
  return {
    templates: createEmailTemplates(host),
    /** Throws 503 if no e-mail can be handed over; call it before looking up or saving anything. */
    requireDelivery: probe.requireAvailable,
    /**
     * Queues e-mails in the caller's transaction; call `wake` after the commit. Delivery is retried
     * for a day, or for `try_hours`.
     */
    enqueue: (transaction: Queryable, ...jobs: readonly NewEmail[]) =>
      insertJobs(transaction, jobs.map(jobOf)),
    /** Queues an e-mail unless one of the caps is reached; returns whether it did. */
    enqueueWithin: (caps: HourlyCaps, transaction: Queryable, job: NewEmail) =>
      insertCappedJob(transaction, jobOf(job), caps),
    /** Deletes e-mails, whether sent or not, and cooldowns. */
    deleteEmails,
    wake: () => worker?.wake(),
    /** Starts sending; each module provides the composers of its kinds. */
    start(composers: Readonly<Record<string, Composer>>) {
      worker ??= createMailWorker({ database, transport, probe, composers, tokenOf, log });
      worker.start();
    },
    async stop() {
      await worker?.stop();
      transport.close();
    },
  };
}
export type Mail = ReturnType<typeof createMail>;
