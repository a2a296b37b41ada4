import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { startSmtpSink } from '../../../stack/smtp.ts';

test.for(['', 'ada:secret@'])(
  'the local mail sink stores an e-mail as an .eml file, with or without login (%s)',
  async (login) => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-act-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sink = await startSmtpSink(folder);
    onTestFinished(() => sink.stop());
    const transport = createTransport(sink.url.replace('smtp://', `smtp://${login}`));

    await transport.sendMail({
      from: 'gate@example.org',
      to: 'ada@example.org',
      subject: 'Verify',
      text: 'Grüße',
    });

    const names = readdirSync(folder);
    expect(names).toEqual([expect.stringMatching(/^\d{4}-.*\.eml$/)]);
    expect(readFileSync(join(folder, names[0] ?? ''), 'utf8')).toContain('Subject: Verify');
  },
);

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find((address) => address.family === 'IPv4' && !address.internal);

test.skipIf(outside === undefined)(
  'the local mail sink accepts connections only on loopback',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-act-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sink = await startSmtpSink(folder);
    onTestFinished(() => sink.stop());

    const socket = connect(Number(new URL(sink.url).port), outside?.address ?? '');
    const outcome = await new Promise((resolve) => {
      socket.once('connect', () => resolve('connected'));
      socket.once('error', (error: Error & { code?: string }) => resolve(error.code));
    });

    expect(outcome).toBe('ECONNREFUSED');
  },
);
