import type { Connection, Database } from '../platform/database.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { createLetters } from './letters.ts';
import type { Letter, Letters } from './letters.ts';
import { createProbe } from './probe.ts';
import { insertJob } from './store.ts';
import type { MailJob } from './store.ts';
import { createMailTransport } from './transport.ts';
import { createMailWorker } from './worker.ts';
import type { Claim, Composer, MailWorker } from './worker.ts';

export type { Claim, Composer, Letter, Letters, MailJob };

export interface Mail {
  letters: Letters;
  /** Throws 503 before anything is looked up or saved, if letters cannot be handed over. */
  requireDelivery(): Promise<void>;
  /** In the caller's transaction; call `wake` after its commit. */
  enqueue(
    transaction: Connection,
    job: { kind: string; address: string; subject_id?: string },
  ): Promise<void>;
  wake(): void;
  /** Starts sending; the composer of each kind is its module's. */
  start(composers: Readonly<Record<string, Composer>>): void;
  stop(): Promise<void>;
}

export interface MailDependencies {
  database: Database;
  log: Log;
  config: { SMTP_URL: string; MAIL_FROM: string; PUBLIC_URL: string };
}

export function createMail({ database, log, config }: MailDependencies): Mail {
  const transport = createMailTransport({ url: config.SMTP_URL, from: config.MAIL_FROM });
  const probe = createProbe({ verify: transport.verify });
  let worker: MailWorker | null = null;
  return {
    letters: createLetters(new URL(config.PUBLIC_URL).host),
    requireDelivery: probe.require,
    enqueue: (transaction, job) =>
      insertJob(transaction, { id: newId(), subject_id: null, ...job }),
    wake: () => worker?.wake(),
    start(composers) {
      worker ??= createMailWorker({ database, transport, probe, composers, log });
      worker.start();
    },
    async stop() {
      await worker?.stop();
      transport.close();
    },
  };
}
