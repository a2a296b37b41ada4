import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type SmtpSink = { url: string; folder: string; stop(): Promise<void> };

const LARGEST_MAIL_BYTES = 10 * 1024 * 1024;

/** Starts a mail server on loopback that stores every mail as an `.eml` file and delivers none. */
export async function startSmtpSink(folder: string): Promise<SmtpSink> {
  mkdirSync(folder, { recursive: true });
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    // Its certificate would be self-signed, and clients that verify certificates would refuse it.
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: LARGEST_MAIL_BYTES,
    logger: false,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
    onData: (stream, _session, done) => {
      buffer(stream)
        .then((mail) => store(folder, mail))
        .then(
          () => done(),
          (error: Error) => done(error),
        );
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    folder,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Stores a mail in a file named by time, so that listings are sorted. The file is renamed when it
 * is complete, so that no reader sees a partial mail.
 */
function store(folder: string, mail: Buffer): void {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const name = `${time}-${randomUUID().slice(0, 8)}.eml`;
  writeFileSync(join(folder, `.${name}`), mail, { mode: 0o600 });
  renameSync(join(folder, `.${name}`), join(folder, name));
}
