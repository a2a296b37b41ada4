/** Path of every small page, with the key of its texts. */
export const paths = {
  '/verify': 'verify',
  '/reset': 'reset',
  '/email/confirm': 'email_confirm',
  '/email/undo': 'email_undo',
  '/invite': 'invite',
  '/sign-in/second-factor': 'second_factor',
  '/sign-in/email': 'sign_in_email',
  '/sign-in/refused': 'sign_in_refused',
} as const;
