import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** What the server does until told otherwise. */
export type Mood =
  | 'well'
  | 'refuses_connections'
  | 'hangs'
  | 'refuses_auth'
  | 'recipient_later'
  | 'recipient_never'
  | 'dies_after_data';

export interface MoodySmtp {
  url: string;
  mood: Mood;
  /** Recipients of the letters taken whole. */
  taken: string[];
  close(): Promise<void>;
}

const failure = (responseCode: number) => Object.assign(new Error('not today'), { responseCode });

/** A real SMTP server with every way of failing that a sender has to tell apart. */
export async function startMoodySmtp(): Promise<MoodySmtp> {
  const hanging = new AbortController();
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    async onConnect(_session, done) {
      if (smtp.mood === 'hangs')
        await wait(60_000, null, { signal: hanging.signal }).catch(() => {});
      done(smtp.mood === 'refuses_connections' ? failure(421) : null);
    },
    onAuth: (_auth, _session, done) =>
      smtp.mood === 'refuses_auth' ? done(failure(454)) : done(null, { user: 'sender' }),
    onRcptTo(_address, _session, done) {
      if (smtp.mood === 'recipient_later') done(failure(450));
      else if (smtp.mood === 'recipient_never') done(failure(550));
      else done();
    },
    onData(stream, session, done) {
      stream.resume();
      stream.on('end', () => {
        smtp.taken.push(session.envelope.rcptTo[0]!.address);
        if (smtp.mood !== 'dies_after_data') return done();
        for (const socket of sockets) socket.destroy();
      });
    },
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => void sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as { port: number };
  const smtp: MoodySmtp = {
    url: `smtp://sender:secret@127.0.0.1:${port}`,
    mood: 'well',
    taken: [],
    close() {
      hanging.abort();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return smtp;
}
