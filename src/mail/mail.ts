import { createHmac } from 'node:crypto';
import type { Connection, Database } from '../platform/postgres/database.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createEmailTemplates } from './emails.ts';
import type { Email, EmailTemplates } from './emails.ts';
import { createProbe } from './probe.ts';
import { deleteEmails, insertCappedJob, insertJobs } from './store.ts';
import type { DeletedAddresses, HourlyCaps, MailJob } from './store.ts';
import { createMailTransport } from './transport.ts';
import { createMailWorker } from './worker.ts';
import type { Claim, Composer, MailWorker } from './worker.ts';

export type { Claim, Composer, Email, EmailTemplates, MailJob };

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

export interface Mail {
  templates: EmailTemplates;
  /** Throws 503 if no e-mail can be handed over; call it before looking up or saving anything. */
  requireDelivery(): Promise<void>;
  /**
   * Queues e-mails in the caller's transaction; call `wake` after the commit. Delivery is retried for
   * a day, or for `try_hours`.
   */
  enqueue(transaction: Connection, ...jobs: readonly NewEmail[]): Promise<void>;
  /** Queues an e-mail unless one of the caps is reached; returns whether it did. */
  enqueueWithin(caps: HourlyCaps, transaction: Connection, job: NewEmail): Promise<boolean>;
  /** Deletes e-mails, whether sent or not, and cooldowns. */
  deleteEmails(transaction: Connection, addresses: DeletedAddresses): Promise<void>;
  wake(): void;
  /** Starts sending; each module provides the composers of its kinds. */
  start(composers: Readonly<Record<string, Composer>>): void;
  stop(): Promise<void>;
}

const DEFAULTS = { subject_id: null, locale: null, try_hours: 24 };
const jobOf = (email: NewEmail) => ({ ...DEFAULTS, id: newId(), ...email });

export interface MailDependencies {
  database: Database;
  secrets: Pick<Secrets, 'subkeys'>;
  log: Log;
  config: { SMTP_URL: string; MAIL_FROM: string; PUBLIC_URL: string };
}

export function createMail({ database, secrets, log, config }: MailDependencies): Mail {
  const { host, hostname } = new URL(config.PUBLIC_URL);
  const transport = createMailTransport({ url: config.SMTP_URL, from: config.MAIL_FROM, hostname });
  const probe = createProbe({ verify: transport.verify });
  const [key] = secrets.subkeys('mail/link');
  const tokenOf = (jobId: string) => createHmac('sha256', key).update(jobId).digest('base64url');
  let worker: MailWorker | null = null;
  return {
    templates: createEmailTemplates(host),
    requireDelivery: probe.requireAvailable,
    enqueue: (transaction, ...jobs) => insertJobs(transaction, jobs.map(jobOf)),
    enqueueWithin: (caps, transaction, job) => insertCappedJob(transaction, jobOf(job), caps),
    deleteEmails,
    wake: () => worker?.wake(),
    start(composers) {
      worker ??= createMailWorker({ database, transport, probe, composers, tokenOf, log });
      worker.start();
    },
    async stop() {
      await worker?.stop();
      transport.close();
    },
  };
}
