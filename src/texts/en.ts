/** All texts in English; the other languages have the same keys. */
export const en = {
  /** E-mails. */
  emails: {
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
      note: 'If it was not you, ignore this letter. Nothing has changed.',
    },
    reset: {
      subject: 'Set a new password',
      greeting: 'Somebody asked to reset your password.',
      body: 'Choose a new password. All sessions of your account will be signed out.',
      action: 'Choose a new password',
      note: 'The link works for one hour and once. If you did not ask for it, ignore this letter.',
    },
    password_changed: {
      subject: 'Your password was changed',
      greeting: 'The password of your account was changed.',
      body: 'All other sessions of your account were signed out. Your API keys still work.',
      note: 'If it was not you, reset your password now and revoke the keys you do not know.',
    },
    email_confirm: {
      subject: 'Confirm your new e-mail address',
      greeting: 'You asked to use this address for your account.',
      body: 'Confirm that it is yours. Until then nothing changes.',
      action: 'Confirm this address',
      note: 'The link works for 24 hours. If you did not ask for it, ignore this letter.',
    },
    email_changed: {
      subject: 'Your e-mail address was changed',
      greeting: 'Your account has a new e-mail address.',
      body: 'This address is no longer the one of your account. If it was not you, undo the change.',
      action: 'Undo the change',
      note: 'The link works for 24 hours. Undoing signs out all sessions of your account.',
    },
    email_taken: {
      subject: 'This address already has an account',
      greeting: 'Somebody asked to use this address for another account.',
      body: 'This address is the one of your account, so nothing was changed.',
      note: 'If it was not you, ignore this letter.',
    },
    sign_in_linked: {
      subject: 'A new way to sign in',
      greeting: 'You can now sign in with {{provider}}.',
      body: 'Somebody who proved this address at {{provider}} signed in to your account.',
      note: 'If it was not you, reset your password and remove this way to sign in.',
    },
    second_factor_changed: {
      subject: 'Your second factor was changed',
      greeting: 'The second factor of your account was changed.',
      body: 'A second factor or passkey was added or removed, or new recovery codes were made.',
      note: 'If it was not you, reset your password and look at your sessions.',
    },
    recovery_code_used: {
      subject: 'A recovery code was used',
      greeting: 'Somebody signed in to your account with a recovery code.',
      body: 'This code is used up. Make new ones before the last is gone.',
      note: 'If it was not you, reset your password now, then make new recovery codes.',
    },
    account_deleted: {
      subject: 'Your account was deleted',
      greeting: 'Your toolgate account was deleted.',
      body: 'Everything in it is gone: API keys, sessions and settings. It cannot be restored.',
      note: 'If it was not you, somebody could sign in as you: change your password wherever else you use it.',
    },
    frame: {
      fallback: 'If the button does not work, open this address:',
      footer: 'This letter was sent automatically by {{host}}.',
    },
  },
  /** Small pages that e-mail links and sign-in lead to. */
  pages: {
    frame: {
      script: 'This page needs JavaScript.',
      wait: 'One moment.',
      incomplete: 'This link is incomplete. Open it again, as a whole.',
      unanswered: 'The service did not answer. Try again.',
      home: 'Continue to toolgate',
    },
    errors: {
      token_invalid: 'This link has expired or was used before. Ask for a new one.',
      weak_password: 'Choose 12 to 128 characters that are hard to guess, such as several words.',
      authentication_error: 'The code is wrong, or this sign-in has expired.',
      rate_limited: 'Too many tries. Wait a while, then try again.',
      invalid_email: 'This is not an e-mail address.',
      reauthentication_required: 'Your sign-in is too long ago for this. Sign in again.',
    },
    verify: {
      title: 'Confirm your e-mail address',
      body: 'Press the button, and your account is ready to sign in.',
      action: 'Confirm this address',
      done: 'Your address is confirmed. You can sign in now.',
    },
    reset: {
      title: 'Set a new password',
      body: 'All sessions of your account will be signed out.',
      password: 'New password',
      show: 'Show password',
      rule: 'At least 12 characters, hard to guess.',
      action: 'Save the new password',
      done: 'Your new password is set. You can sign in with it now.',
    },
    email_confirm: {
      title: 'Confirm your new e-mail address',
      body: 'Press the button to use this address for your account from now on.',
      action: 'Confirm this address',
      done: 'Your account has its new address now.',
    },
    email_undo: {
      title: 'Undo the change of your e-mail address',
      body: 'Your account gets its old address back, and all its sessions are signed out.',
      action: 'Undo the change',
      done: 'Your account has its old address again. Set a new password if you did not change it.',
    },
    second_factor: {
      title: 'Second step',
      body: 'Enter the code of your authenticator app, or one of your recovery codes.',
      code: 'Code',
      action: 'Sign in',
      passkey: 'Use a passkey',
      passkey_failed: 'The passkey was not accepted. Try again, or begin the sign-in anew.',
      done: 'You are signed in.',
    },
    sign_in_email: {
      title: 'Your e-mail address',
      body: 'Your account has no e-mail address yet. Enter yours, and we send it a link; nothing changes before you open that.',
      email: 'E-mail address',
      action: 'Send the link',
      skip: 'Continue without an address',
      done: 'Look into your mailbox: the link we sent confirms the address.',
    },
    sign_in_refused: {
      title: 'You are not signed in',
      denied: 'The sign-in was cancelled at the other service.',
      expired: 'This sign-in took too long or was begun in another browser. Try again.',
      provider_unavailable: 'The other service did not answer. Try again later.',
      linked_elsewhere: 'This sign-in already belongs to another account.',
      link_in_session:
        'Your account does not take this sign-in yet. Sign in another way, then add it there.',
      rate_limited: 'Too many sign-ins were begun from your network. Wait a while, then try again.',
      sso_required: 'Your organization demands that you sign in at its own identity provider.',
      failed: 'The sign-in did not succeed. Try again, or choose another way to sign in.',
    },
  },
} as const;

type Worded<Source> = {
  [Key in keyof Source]: Source[Key] extends string ? string : Worded<Source[Key]>;
};

/** The shape of a translation. */
export type Texts = Worded<typeof en>;
