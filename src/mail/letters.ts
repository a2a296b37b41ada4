import { createInstance } from 'i18next';
import { directionOf, fallbackLanguage } from './languages.ts';
import { en } from './texts/en.ts';
import type { LetterTexts } from './texts/en.ts';

/** A letter ready to send, in one language, as HTML and as text. */
export interface Letter {
  language: string;
  subject: string;
  html: string;
  text: string;
}

export type LetterKind = Exclude<keyof LetterTexts, 'frame'>;

export interface Letters {
  /** In `locale` where every sentence is translated, else in English. */
  write(kind: LetterKind, locale: string, link: string): Letter;
}

const texts: Readonly<Record<string, LetterTexts>> = { en };

/** `host` names the service in the footer; nothing a person typed ever reaches a letter. */
export function createLetters(host: string): Letters {
  const i18n = createInstance({
    fallbackLng: fallbackLanguage,
    defaultNS: 'letters',
    resources: Object.fromEntries(
      Object.entries(texts).map(([language, letters]) => [language, { letters }]),
    ),
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  void i18n.init();
  return {
    write(kind, locale, link) {
      const language = Object.hasOwn(texts, locale) ? locale : fallbackLanguage;
      const t = i18n.getFixedT(language);
      const say = (key: string) => t(`${kind}.${key}`);
      const part = {
        greeting: say('greeting'),
        body: say('body'),
        action: say('action'),
        note: say('note'),
        fallback: t('frame.fallback'),
        footer: t('frame.footer', { host }),
      };
      const subject = say('subject');
      return {
        language,
        subject,
        html: asHtml(language, subject, part, link),
        text: asText(part, link),
      };
    },
  };
}

type Part = Record<'greeting' | 'body' | 'action' | 'note' | 'fallback' | 'footer', string>;

const asText = (part: Part, link: string) =>
  [part.greeting, part.body, `${part.action}:\n${link}`, part.note, `-- \n${part.footer}`].join(
    '\n\n',
  ) + '\n';

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#1c4fd7;color:#ffffff;' +
  'font-weight:600;text-decoration:none';

function asHtml(language: string, subject: string, part: Part, link: string): string {
  const href = escapeHtml(link);
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1b1f24;${FONT};line-height:1.5">
<main style="max-width:520px;margin:0 auto;padding:28px;background:#ffffff;border-radius:8px">
<p style="margin:0 0 12px"><strong>${escapeHtml(part.greeting)}</strong></p>
<p style="margin:0 0 20px">${escapeHtml(part.body)}</p>
<p style="margin:0 0 20px"><a href="${href}" style="${BUTTON}">${escapeHtml(part.action)}</a></p>
<p style="margin:0 0 20px">${escapeHtml(part.note)}</p>
<p style="margin:0;font-size:13px;color:#57606a">${escapeHtml(part.fallback)}<br>
<a href="${href}" style="color:#57606a;word-break:break-all">${href}</a></p>
</main>
<p style="max-width:520px;margin:12px auto;font-size:12px;color:#57606a">${escapeHtml(part.footer)}</p>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
