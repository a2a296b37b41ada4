import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { devMailPages } from '../../../src/mail/dev-mail.ts';

function folderOf(mails: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'dev-mail-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(mails)) writeFileSync(join(folder, name), text);
  return folder;
}
const mail = (subject: string, text: string) =>
  `From: a@example.com\r\nTo: ada@example.com\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
const read = async (folder: string, path: string) => {
  const page = devMailPages(folder, 'localhost:7070').find((one) => one.path === path)!;
  return (await page.handle()).body;
};

test('stored e-mails are listed newest first, and partially written ones are skipped', async () => {
  const folder = folderOf({
    '2026-01-01T00-00-00-000Z-aa.eml': mail('First', 'one'),
    '2026-01-02T00-00-00-000Z-bb.eml': mail('Second', 'two'),
    '.2026-01-03T00-00-00-000Z-cc.eml': mail('Half', 'thr'),
    'notes.txt': 'no e-mail',
  });

  expect(JSON.parse(await read(folder, '/dev/mail.json'))).toEqual([
    {
      id: '2026-01-02T00-00-00-000Z-bb',
      to: 'ada@example.com',
      subject: 'Second',
      text: expect.stringContaining('two'),
      html: '',
      at: expect.stringMatching(/Z$/),
    },
    expect.objectContaining({ subject: 'First' }),
  ]);
});

test('an e-mail cannot put markup or scripts on the page', async () => {
  const body = 'see https://example.com/#token=a"onclick=1 and <script>alert(1)</script>';
  const folder = folderOf({ 'x.eml': mail('<img src=x>', body) });

  const page = await read(folder, '/dev/mail');

  expect(page).not.toMatch(/<script|<img|"onclick/);
  expect(page).toContain('<a href="https://example.com/#token=a">https://example.com/#token=a</a>');
});

test('without a folder the list of e-mails is empty', async () => {
  expect(await read(join(tmpdir(), 'absent-folder-of-mail'), '/dev/mail.json')).toBe('[]');
  expect(await read(join(tmpdir(), 'absent-folder-of-mail'), '/dev/mail')).toContain(
    'No e-mails yet',
  );
});
