import { createTexts } from '../texts/texts.ts';
import type { Texts } from '../texts/texts.ts';
import { layOut } from './letter-layout.ts';

/** An e-mail ready to send, in one language, as HTML and as text. */
export interface Letter {
  language: string;
  subject: string;
  html: string;
  text: string;
}

export type LetterKind = Exclude<keyof Texts['letters'], 'frame'>;

/** Placeholder values: from the operator's configuration, never from user input. */
export interface LetterValues {
  provider?: string;
}

/** URL of the e-mail's button by kind; null for kinds without a button. */
type LinkOf = {
  [Kind in LetterKind]: Texts['letters'][Kind] extends { action: string } ? string : null;
};

export interface Letters {
  /** Writes in `locale` if there is a translation, else in English. */
  write<Kind extends LetterKind>(
    kind: Kind,
    locale: string,
    link: LinkOf[Kind],
    values?: LetterValues,
  ): Letter;
}

/** Creates the writer. `host` names the service in the footer; user input is never inserted. */
export function createLetters(host: string): Letters {
  const wordIn = createTexts();
  return {
    write(kind, locale, link, values = {}) {
      const wording = wordIn('letters', locale);
      const say = (key: string) => wording.say(`${kind}.${key}`, { ...values });
      const part = {
        greeting: say('greeting'),
        body: say('body'),
        note: say('note'),
        footer: wording.say('frame.footer', { host }),
      };
      const subject = say('subject');
      const button =
        link === null
          ? null
          : { link, action: say('action'), fallback: wording.say('frame.fallback') };
      return {
        language: wording.language,
        subject,
        ...layOut({ ...part, subject, button, wording }),
      };
    },
  };
}
