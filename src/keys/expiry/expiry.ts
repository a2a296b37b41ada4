import type { Composer, Mail, NewEmail } from '../../mail/mail.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { takeDueKeys } from '../store.ts';
import { findExpiring, listRecipients } from './store.ts';

export interface ExpiryDependencies {
  database: Pick<Database, 'pool' | 'transaction'>;
  mail: Pick<Mail, 'enqueue' | 'wake' | 'templates'>;
  config: Pick<Config, 'DASHBOARD_URL'>;
}

// Keys that are taken at a time.
const BATCH = 100;

/** E-mails about keys that expire, seven days and one day before. */
export type ExpiryNotices = ReturnType<typeof createExpiryNotices>;

export function createExpiryNotices({ database, mail, config }: ExpiryDependencies) {
  /** Queues the e-mails about some keys; returns whether more may be due. */
  const queueSome = () =>
    database.transaction(async (transaction) => {
      const due = await takeDueKeys(transaction, BATCH);
      const jobs: NewEmail[] = [];
      for (const key of due) {
        const kind = key.account_id === null ? 'organization_key_expires' : 'key_expires';
        for (const address of await listRecipients(transaction, key))
          jobs.push({ kind, address, subject_id: key.id });
      }
      if (jobs.length > 0) await mail.enqueue(transaction, ...jobs);
      return due.length === BATCH;
    });

  const compose =
    (kind: 'key_expires' | 'organization_key_expires'): Composer =>
    async (transaction, { subject_id, address }) => {
      // It may have been revoked or extended since, or have expired while mail was not delivered.
      const key = await findExpiring(transaction, { id: subject_id!, address });
      if (key?.locale == null) return null;
      const area = key.organization_id === null ? 'app' : `app/org/${key.organization_id}`;
      const page = `${config.DASHBOARD_URL}/${area}/keys/${subject_id!}`;
      return mail.templates.render(kind, key.locale, page, { time: new Date(key.expires_at) });
    };

  return {
    /** Queues the e-mails that are due; runs once a minute, on every gateway. */
    async queueDue(): Promise<void> {
      while (await queueSome());
      mail.wake();
    },
    composers: {
      key_expires: compose('key_expires'),
      organization_key_expires: compose('organization_key_expires'),
    } satisfies Record<string, Composer>,
  };
}
