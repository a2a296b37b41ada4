import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { Config } from '../platform/config/config.ts';
import { renderDocument } from '../look/document.ts';
import { escapeHtml } from '../platform/http/html.ts';

/** A stored e-mail as `/dev/mail.json` returns it. */
export interface StoredEmail {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  at: string;
}

export interface DevMailPage {
  path: string;
  content_type: string;
  handle(): Promise<{ status: number; body: string }>;
}

const MAX_EMAILS = 200;

/** Returns the mail pages, for a local start only: the e-mails contain every user's links. */
export const mailPagesOf = ({
  DEV_MAIL,
  DATA_DIR,
  PUBLIC_URL,
}: Pick<Config, 'DEV_MAIL' | 'DATA_DIR' | 'PUBLIC_URL'>) =>
  DEV_MAIL === 'on' ? devMailPages(join(DATA_DIR, 'mail'), new URL(PUBLIC_URL).host) : [];

/** Returns pages that show, as HTML and JSON, the e-mails that a local start only stores. */
export const devMailPages = (folder: string, host: string): DevMailPage[] => [
  {
    path: '/dev/mail',
    content_type: 'text/html; charset=utf-8',
    handle: async () => ({ status: 200, body: listPage(await readEmails(folder), host) }),
  },
  {
    path: '/dev/mail.json',
    content_type: 'application/json',
    handle: async () => ({ status: 200, body: JSON.stringify(await readEmails(folder)) }),
  },
];

/** Reads the newest e-mails first; file names begin with the time of arrival. */
async function readEmails(folder: string): Promise<StoredEmail[]> {
  const names = await readdir(folder).catch(() => []);
  const newest = names
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .toSorted()
    .toReversed()
    .slice(0, MAX_EMAILS);
  return Promise.all(newest.map((name) => readEmail(folder, name)));
}

async function readEmail(folder: string, name: string): Promise<StoredEmail> {
  const path = join(folder, name);
  const [raw, { mtime }] = await Promise.all([readFile(path), stat(path)]);
  const mail = await PostalMime.parse(raw);
  return {
    id: name.slice(0, -'.eml'.length),
    to: mail.to?.map((recipient) => recipient.address ?? '').join(', ') ?? '',
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    at: mtime.toISOString(),
  };
}

const listPage = (emails: readonly StoredEmail[], host: string) =>
  renderDocument({
    ...{ language: 'en', direction: 'ltr', color_scheme: null, host },
    title: 'Mail of this local service',
    body: `<p class="quiet">Nothing is delivered. E-mails are stored as files; also as JSON:
<a href="/dev/mail.json">/dev/mail.json</a>. Reload to see new e-mails.</p>
${emails.map(emailOf).join('\n') || '<p>No e-mails yet.</p>'}`,
  });

const emailOf = (
  email: StoredEmail,
  index: number,
) => `<details class="mail"${index === 0 ? ' open' : ''}>
<summary><b>${escapeHtml(email.subject)}</b>
<span class="note">${escapeHtml(email.to)} · ${escapeHtml(email.at)}</span></summary>
<pre>${withLinks(email.text)}</pre>
</details>`;

// Splits before escaping each piece, so that no URL can break out of its attribute.
const withLinks = (text: string) =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((piece, index) => {
      const safe = escapeHtml(piece);
      return index % 2 === 1 ? `<a href="${safe}">${safe}</a>` : safe;
    })
    .join('');
