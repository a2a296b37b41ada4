import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Where in the conversation the server fails; `.` is the end of an e-mail's data. */
export type SmtpStage = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | '.';
/** A reply code, no reply at all, or a closed connection. */
export type Fault = number | 'hangs' | 'drops';
export interface InjectedFault {
  at: SmtpStage;
  does: Fault;
}

/** An e-mail the server received completely, regardless of its reply. */
export interface AcceptedEmail {
  to: string;
  id: string;
  token: string;
}

export interface FaultySmtp {
  url: string;
  /** Null if the server does not fail. */
  fault: InjectedFault | null;
  accepted: AcceptedEmail[];
  /** Runs when an e-mail is complete, before the reply to it. */
  onAccepted: () => void;
  close(): Promise<void>;
}

const REPLIES: Readonly<Record<string, string>> = {
  greeting: '220 mailWorld',
  EHLO: '250-mailWorld\r\n250 AUTH PLAIN',
  HELO: '250 mailWorld',
  AUTH: '235 welcome',
  MAIL: '250 go on',
  RCPT: '250 go on',
  DATA: '354 go on',
  '.': '250 taken',
  RSET: '250 done',
  NOOP: '250 done',
  QUIT: '221 bye',
};

/** Starts an SMTP server that can inject every kind of failure a sender must handle. */
export async function startFaultySmtp(): Promise<FaultySmtp> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => void sockets.delete(socket));
    socket.on('error', () => {});
    handleConnection(socket, smtp);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const smtp: FaultySmtp = {
    url: `smtp://sender:secret@127.0.0.1:${port}`,
    fault: null,
    accepted: [],
    onAccepted: () => {},
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return smtp;
}

function handleConnection(socket: Socket, smtp: FaultySmtp): void {
  let to = '';
  let data: string[] | null = null;

  function answer(command: string): void {
    const failing = command === 'HELO' ? 'EHLO' : command;
    const fault = smtp.fault?.at === failing ? smtp.fault.does : null;
    if (fault === 'drops') socket.destroy();
    else if (fault === null) socket.write(`${REPLIES[command] ?? '502 unknown'}\r\n`);
    else if (fault !== 'hangs') socket.write(`${fault} not today\r\n`);
    if (command === 'DATA' && fault === null) data = [];
  }

  function accept(lines: readonly string[]): void {
    const text = lines.join('\n').replaceAll('=\n', '');
    const [, id = ''] = /^Message-ID: (\S+)/im.exec(text) ?? [];
    const [, token = ''] = /#token(?:=3D|=)([\w-]+)/.exec(text) ?? [];
    smtp.accepted.push({ to, id, token });
    smtp.onAccepted();
  }

  const lines = createInterface({ input: socket });
  // The readline interface also emits an error when the connection is reset.
  lines.on('error', () => {});
  lines.on('line', (line) => {
    if (data !== null && line !== '.') {
      data.push(line);
      return;
    }
    if (data !== null) {
      accept(data);
      data = null;
      answer('.');
      return;
    }
    const verb = line.split(' ')[0]!.toUpperCase();
    if (verb === 'RCPT') to = /<([^>]*)>/.exec(line)?.[1] ?? '';
    answer(verb);
    if (verb === 'QUIT') socket.end();
  });
  answer('greeting');
}
