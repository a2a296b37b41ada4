import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface ReceivedEmail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** A real SMTP server that stores the e-mails it receives. */
export interface Mailbox {
  url: string;
  emails: ReceivedEmail[];
  /**
   * Returns the next e-mail to an address that no earlier call returned; fails after ten seconds.
   */
  next(to: string): Promise<ReceivedEmail>;
  close(): Promise<void>;
}

const WAIT_MS = 10_000;

export async function createMailbox(): Promise<Mailbox> {
  const emails: ReceivedEmail[] = [];
  const returned = new Set<ReceivedEmail>();
  const received = new EventTarget();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => {
        void read(Buffer.concat(chunks), session.envelope.rcptTo[0]?.address ?? '').then(
          () => done(),
          done,
        );
      });
    },
  });

  async function read(raw: Buffer, to: string): Promise<void> {
    const mail = await PostalMime.parse(raw);
    emails.push({
      to,
      subject: mail.subject ?? '',
      text: mail.text ?? '',
      html: mail.html ?? '',
      headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
    });
    received.dispatchEvent(new Event('email'));
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    async next(to) {
      for (const until = Date.now() + WAIT_MS; ;) {
        const found = emails.find((email) => email.to === to && !returned.has(email));
        if (found) {
          returned.add(found);
          return found;
        }
        if (Date.now() > until) throw new Error(`no e-mail for ${to}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 500);
          const wake = () => (clearTimeout(timer), resolve());
          received.addEventListener('email', wake, { once: true });
        });
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
