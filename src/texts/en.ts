/** All texts in English; the other languages have the same keys. */
export const en = {
  /** E-mails. */
  emails: {
    verify: {
      subject: 'Confirm your e-mail address',
      greeting: 'Welcome to toolgate.',
      body: 'Confirm that this e-mail address is yours. You can then sign in.',
      action: 'Confirm e-mail address',
      note: 'This link expires in 24 hours. If you did not sign up, you can ignore this e-mail.',
    },
    already_registered: {
      subject: 'You already have an account',
      greeting: 'Someone tried to sign up with your e-mail address.',
      body: 'This address already has a toolgate account. If this was you, sign in instead. If you have forgotten your password, you can reset it.',
      note: 'If this was not you, you can ignore this e-mail. Nothing was changed.',
    },
    reset: {
      subject: 'Reset your password',
      greeting: 'We received a request to reset your password.',
      body: 'When you set a new password, you are signed out on all devices. Your API keys keep working.',
      action: 'Set a new password',
      note: 'This link works once and expires in one hour. If you did not request it, you can ignore this e-mail. Your password has not been changed.',
    },
    invitation: {
      subject: 'You are invited to an organization',
      greeting: 'You have been invited to join an organization on toolgate.',
      body: 'Open the invitation to see which organization it is and who invited you. You can then join with this e-mail address.',
      action: 'View invitation',
      note: 'This link works once and expires in 7 days. If you do not know what this is about, you can ignore this e-mail.',
    },
    password_changed: {
      subject: 'Your password was changed',
      greeting: 'The password of your toolgate account was changed.',
      body: 'You were signed out on all other devices. Your API keys still work.',
      note: 'If this was not you, reset your password now and revoke any API keys you do not recognize.',
    },
    email_confirm: {
      subject: 'Confirm your new e-mail address',
      greeting: 'You asked to use this e-mail address for your toolgate account.',
      body: 'Confirm that it is yours. Nothing changes until you do.',
      action: 'Confirm e-mail address',
      note: 'This link expires in 24 hours. If you did not request this, you can ignore this e-mail.',
    },
    email_changed: {
      subject: 'Your e-mail address was changed',
      greeting: 'The e-mail address of your toolgate account was changed.',
      body: 'This address is no longer used for your account. If this was not you, undo the change.',
      action: 'Undo the change',
      note: 'This link expires in 24 hours. Undoing the change signs you out on all devices.',
    },
    email_taken: {
      subject: 'This e-mail address already has an account',
      greeting: 'Someone asked to use your e-mail address for another toolgate account.',
      body: 'The address already belongs to your account, so nothing was changed.',
      note: 'If this was not you, you can ignore this e-mail.',
    },
    sign_in_linked: {
      subject: 'New sign-in method added',
      greeting: 'You can now sign in to your toolgate account with {{provider}}.',
      body: 'Anyone with access to the linked {{provider}} account can now sign in to your account.',
      note: 'If this was not you, reset your password and remove {{provider}} from your sign-in methods.',
    },
    second_factor_changed: {
      subject: 'Your two-factor authentication was changed',
      greeting: 'The two-factor authentication settings of your toolgate account were changed.',
      body: 'An authenticator app or passkey was added or removed, or new recovery codes were created.',
      note: 'If this was not you, reset your password, then check your two-factor settings and sessions.',
    },
    recovery_code_used: {
      subject: 'A recovery code was used',
      greeting: 'Someone signed in to your toolgate account with a recovery code.',
      body: 'Each code works only once. Create new codes before you run out.',
      note: 'If this was not you, reset your password now, then create new recovery codes.',
    },
    account_deleted: {
      subject: 'Your account was deleted',
      greeting: 'Your toolgate account was deleted.',
      body: 'Everything in it was deleted too, including your API keys and settings. This cannot be undone.',
      note: 'If this was not you, someone else was able to sign in to your account. If you use the same password elsewhere, change it there.',
    },
    added_to_organization: {
      subject: 'You were added to an organization',
      greeting: 'An organization added your toolgate account to its members.',
      body: 'It manages the domain of your e-mail address. Your own space, API keys and settings stay yours.',
      note: 'You can leave the organization at any time. If you do not know what this is about, ask its administrators.',
    },
    frame: {
      fallback: 'If the button does not work, open this link:',
      footer: 'This e-mail was sent automatically by {{host}}.',
    },
  },
  /** Small pages that e-mail links and sign-in lead to. */
  pages: {
    frame: {
      script: 'This page needs JavaScript.',
      wait: 'One moment.',
      incomplete: 'This link is incomplete. Make sure that you copied the whole link.',
      unanswered: 'The service did not respond. Try again.',
      home: 'Continue to toolgate',
    },
    errors: {
      authentication_required:
        'Sign in with the invited address, or register with it, then open the link again.',
      invitation_for_another_address:
        'This invitation was sent to another address. Sign in with that address.',
      already_member: 'You are already a member of this organization.',
      organization_suspended: 'This organization is suspended. Try again later.',
      limit_reached:
        'You or the organization have reached a limit. Contact the person who invited you.',
      token_invalid: 'This link has expired or was already used. Request a new one.',
      weak_password: 'Choose 12 to 128 characters that are hard to guess, such as several words.',
      authentication_error: 'The code is wrong, or this sign-in has expired.',
      rate_limited: 'Too many attempts. Wait a while, then try again.',
      invalid_email: 'This is not an e-mail address.',
      reauthentication_required: 'To continue, sign in again.',
    },
    verify: {
      title: 'Confirm your e-mail address',
      body: 'Press the button to confirm your address. You can then sign in.',
      action: 'Confirm e-mail address',
      done: 'Your e-mail address is confirmed. You can now sign in.',
    },
    reset: {
      title: 'Set a new password',
      body: 'You will be signed out on all devices.',
      password: 'New password',
      show: 'Show password',
      rule: 'At least 12 characters, hard to guess.',
      action: 'Save the new password',
      done: 'Your new password is set. You can now sign in with it.',
    },
    email_confirm: {
      title: 'Confirm your new e-mail address',
      body: 'Press the button to use this e-mail address for your account.',
      action: 'Confirm e-mail address',
      done: 'Your account now uses this e-mail address.',
    },
    email_undo: {
      title: 'Undo the change of your e-mail address',
      body: 'Your account gets its former e-mail address back, and you are signed out on all devices.',
      action: 'Undo the change',
      done: 'Your account has its former e-mail address again. If you did not make the change, set a new password.',
    },
    invite: {
      title: 'Join an organization',
      body: 'Press the button to become a member of this organization.',
      organization: 'Organization',
      invited_by: 'Invited by',
      email: 'Your e-mail address',
      action: 'Join',
      done: 'You are now a member of the organization.',
    },
    second_factor: {
      title: 'Second step',
      body: 'Enter the code of your authenticator app, or one of your recovery codes.',
      code: 'Code',
      action: 'Sign in',
      passkey: 'Use a passkey',
      passkey_failed: 'The passkey was not accepted. Try again, or start the sign-in again.',
      done: 'You are signed in.',
    },
    sign_in_email: {
      title: 'Your e-mail address',
      body: 'Your account has no e-mail address yet. Enter yours, and we will send a link to it. Nothing changes until you open the link.',
      email: 'E-mail address',
      action: 'Send the link',
      skip: 'Continue without an address',
      done: 'Check your inbox and open the link we sent to confirm your address.',
    },
    sign_in_refused: {
      title: 'You are not signed in',
      denied: 'The sign-in was cancelled at the other service.',
      expired: 'This sign-in took too long or was started in another browser. Try again.',
      provider_unavailable: 'The other service did not respond. Try again later.',
      linked_elsewhere: 'This sign-in method already belongs to another account.',
      link_in_session:
        'This sign-in method is not linked to your account yet. Sign in another way, then add it in your account.',
      rate_limited:
        'Too many sign-ins were started from your network. Wait a while, then try again.',
      sso_required: 'Your organization requires you to sign in with its own identity provider.',
      outside_domain:
        'Your organization has not confirmed the domain of your e-mail address. Ask its administrators.',
      account_not_linked:
        'You already have an account, but you cannot sign in to it this way. Contact the administrators of your organization.',
      not_joined:
        'You could not join the organization: it is full or suspended, or your membership has ended. Ask its administrators.',
      failed: 'The sign-in failed. Try again, or choose another way to sign in.',
    },
  },
} as const;

type Worded<Source> = {
  [Key in keyof Source]: Source[Key] extends string ? string : Worded<Source[Key]>;
};

/** The shape of a translation. */
export type Texts = Worded<typeof en>;
