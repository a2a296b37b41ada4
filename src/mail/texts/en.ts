/** Every sentence of the letters in English; the other languages have the same keys. */
export const en = {
  verify: {
    subject: 'Confirm your e-mail address',
    greeting: 'Welcome to toolgate.',
    body: 'Confirm that this address is yours, and your account is ready to sign in.',
    action: 'Confirm this address',
    note: 'The link works for 24 hours. If you did not register, ignore this letter.',
  },
  already_registered: {
    subject: 'You already have an account',
    greeting: 'Somebody tried to register with this address.',
    body: 'This address already has a toolgate account. If it was you, sign in instead.',
    action: 'Sign in',
    note: 'If it was not you, ignore this letter. Nothing has changed.',
  },
  frame: {
    fallback: 'If the button does not work, open this address:',
    footer: 'This letter was sent automatically by {{host}}.',
  },
} as const;

/** The shape of a translation. */
export type LetterTexts = {
  [Section in keyof typeof en]: { [Key in keyof (typeof en)[Section]]: string };
};
