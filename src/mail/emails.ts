import { createTexts } from '../texts/texts.ts';
import type { Texts } from '../texts/texts.ts';
import { renderLayout } from './email-layout.ts';

/** An e-mail ready to send, in one language, as HTML and as text. */
export interface Email {
  language: string;
  subject: string;
  html: string;
  text: string;
}

export type EmailKind = Exclude<keyof Texts['emails'], 'frame'>;

/** Placeholder values; they come from the operator's configuration or a clock, never from user input. */
export interface EmailValues {
  provider?: string;
  time?: Date;
}

/** URL of the e-mail's button by kind; null for kinds without a button. */
type LinkOf = {
  [Kind in EmailKind]: Texts['emails'][Kind] extends { action: string } ? string : null;
};

export interface EmailTemplates {
  /** Renders in `locale` if it has a translation, else in English. */
  render<Kind extends EmailKind>(
    kind: Kind,
    locale: string,
    link: LinkOf[Kind],
    values?: EmailValues,
  ): Email;
}

/** Creates the templates. `host` names the service in the footer; user input is never inserted. */
export function createEmailTemplates(host: string): EmailTemplates {
  const translatorFor = createTexts();
  return {
    render(kind, locale, link, { provider, time } = {}) {
      const wording = translatorFor('emails', locale);
      const values = {
        ...(provider === undefined ? {} : { provider }),
        ...(time === undefined ? {} : { time: timeIn(wording.language, time) }),
      };
      const own = (key: string) => wording.translate(`${kind}.${key}`, values);
      const part = {
        greeting: own('greeting'),
        body: own('body'),
        note: own('note'),
        footer: wording.translate('frame.footer', { host }),
      };
      const subject = own('subject');
      const button =
        link === null
          ? null
          : { link, action: own('action'), fallback: wording.translate('frame.fallback') };
      return {
        language: wording.language,
        subject,
        ...renderLayout({ ...part, subject, button, wording }),
      };
    },
  };
}

const timeIn = (language: string, time: Date): string =>
  new Intl.DateTimeFormat(language, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ timeZone: 'UTC', timeZoneName: 'short' },
  }).format(time);
