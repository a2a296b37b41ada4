import type { Texts } from './en.ts';

export const de: Texts = {
  emails: {
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      greeting: 'Willkommen bei toolgate.',
      body: 'Bestätigen Sie, dass diese E-Mail-Adresse Ihnen gehört. Danach können Sie sich anmelden.',
      action: 'E-Mail-Adresse bestätigen',
      note: 'Der Link ist 24 Stunden gültig. Falls Sie sich nicht registriert haben, können Sie diese E-Mail ignorieren.',
    },
    already_registered: {
      subject: 'Sie haben bereits ein Konto',
      greeting: 'Jemand hat versucht, sich mit Ihrer E-Mail-Adresse zu registrieren.',
      body: 'Für diese Adresse gibt es bereits ein toolgate-Konto. Falls Sie das waren, melden Sie sich einfach an. Wenn Sie Ihr Passwort vergessen haben, können Sie es zurücksetzen.',
      note: 'Falls Sie das nicht waren, können Sie diese E-Mail ignorieren. Es wurde nichts geändert.',
    },
    reset: {
      subject: 'Setzen Sie Ihr Passwort zurück',
      greeting: 'Wir haben eine Anfrage erhalten, Ihr Passwort zurückzusetzen.',
      body: 'Wenn Sie ein neues Passwort festlegen, werden Sie auf allen Geräten abgemeldet. Ihre API-Schlüssel bleiben gültig.',
      action: 'Neues Passwort festlegen',
      note: 'Der Link ist eine Stunde gültig und funktioniert nur einmal. Falls Sie ihn nicht angefordert haben, können Sie diese E-Mail ignorieren. Ihr Passwort wurde nicht geändert.',
    },
    invitation: {
      subject: 'Sie sind in eine Organisation eingeladen',
      greeting: 'Sie wurden eingeladen, einer Organisation auf toolgate beizutreten.',
      body: 'Öffnen Sie die Einladung, um zu sehen, um welche Organisation es sich handelt und wer Sie eingeladen hat. Danach können Sie mit dieser E-Mail-Adresse beitreten.',
      action: 'Einladung ansehen',
      note: 'Der Link funktioniert einmal und ist 7 Tage gültig. Falls Sie nichts damit anfangen können, ignorieren Sie diese E-Mail einfach.',
    },
    password_changed: {
      subject: 'Ihr Passwort wurde geändert',
      greeting: 'Das Passwort Ihres toolgate-Kontos wurde geändert.',
      body: 'Sie wurden auf allen anderen Geräten abgemeldet. Ihre API-Schlüssel bleiben gültig.',
      note: 'Falls Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück und widerrufen Sie alle API-Schlüssel, die Sie nicht kennen.',
    },
    email_confirm: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      greeting: 'Sie möchten diese E-Mail-Adresse für Ihr toolgate-Konto verwenden.',
      body: 'Bestätigen Sie, dass die Adresse Ihnen gehört. Bis dahin ändert sich nichts.',
      action: 'E-Mail-Adresse bestätigen',
      note: 'Der Link ist 24 Stunden gültig. Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren.',
    },
    email_changed: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      greeting: 'Die E-Mail-Adresse Ihres toolgate-Kontos wurde geändert.',
      body: 'Diese Adresse wird für Ihr Konto nicht mehr verwendet. Falls Sie das nicht waren, machen Sie die Änderung rückgängig.',
      action: 'Änderung rückgängig machen',
      note: 'Der Link ist 24 Stunden gültig. Wenn Sie die Änderung rückgängig machen, werden Sie auf allen Geräten abgemeldet.',
    },
    email_taken: {
      subject: 'Für diese E-Mail-Adresse gibt es bereits ein Konto',
      greeting: 'Jemand wollte Ihre E-Mail-Adresse für ein anderes toolgate-Konto verwenden.',
      body: 'Die Adresse gehört bereits zu Ihrem Konto, deshalb wurde nichts geändert.',
      note: 'Falls Sie das nicht waren, können Sie diese E-Mail ignorieren.',
    },
    sign_in_linked: {
      subject: 'Neue Anmeldemethode hinzugefügt',
      greeting: 'Sie können sich jetzt mit {{provider}} bei Ihrem toolgate-Konto anmelden.',
      body: 'Alle, die Zugriff auf das verknüpfte Konto bei {{provider}} haben, können sich jetzt bei Ihrem Konto anmelden.',
      note: 'Falls Sie das nicht waren, setzen Sie Ihr Passwort zurück und entfernen Sie {{provider}} aus Ihren Anmeldemethoden.',
    },
    second_factor_changed: {
      subject: 'Ihre Zwei-Faktor-Authentifizierung wurde geändert',
      greeting:
        'Die Einstellungen zur Zwei-Faktor-Authentifizierung Ihres toolgate-Kontos wurden geändert.',
      body: 'Eine Authenticator-App oder ein Passkey wurde hinzugefügt oder entfernt, oder es wurden neue Wiederherstellungscodes erstellt.',
      note: 'Falls Sie das nicht waren, setzen Sie Ihr Passwort zurück und prüfen Sie dann Ihre Zwei-Faktor-Einstellungen und Ihre Sitzungen.',
    },
    recovery_code_used: {
      subject: 'Ein Wiederherstellungscode wurde verwendet',
      greeting:
        'Jemand hat sich mit einem Wiederherstellungscode bei Ihrem toolgate-Konto angemeldet.',
      body: 'Jeder Code funktioniert nur einmal. Erstellen Sie neue Codes, bevor Sie alle verbraucht haben.',
      note: 'Falls Sie das nicht waren, setzen Sie jetzt Ihr Passwort zurück und erstellen Sie danach neue Wiederherstellungscodes.',
    },
    account_deleted: {
      subject: 'Ihr Konto wurde gelöscht',
      greeting: 'Ihr toolgate-Konto wurde gelöscht.',
      body: 'Auch alle Inhalte wurden gelöscht, darunter Ihre API-Schlüssel und Einstellungen. Das lässt sich nicht rückgängig machen.',
      note: 'Falls Sie das nicht waren, konnte sich jemand anderes bei Ihrem Konto anmelden. Wenn Sie dasselbe Passwort anderswo verwenden, ändern Sie es dort.',
    },
    added_to_organization: {
      subject: 'Sie wurden zu einer Organisation hinzugefügt',
      greeting: 'Eine Organisation hat Ihr toolgate-Konto zu ihren Mitgliedern hinzugefügt.',
      body: 'Sie verwaltet die Domain Ihrer E-Mail-Adresse. Ihr eigener Bereich, Ihre API-Schlüssel und Einstellungen bleiben Ihre.',
      note: 'Sie können die Organisation jederzeit verlassen. Wenn Sie nicht wissen, worum es geht, fragen Sie deren Administratoren.',
    },
    frame: {
      fallback: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diesen Link:',
      footer: 'Diese E-Mail wurde automatisch von {{host}} versendet.',
    },
  },
  pages: {
    frame: {
      script: 'Diese Seite benötigt JavaScript.',
      wait: 'Einen Moment bitte.',
      incomplete:
        'Dieser Link ist unvollständig. Prüfen Sie, ob Sie den ganzen Link kopiert haben.',
      unanswered: 'Der Dienst hat nicht geantwortet. Versuchen Sie es noch einmal.',
      home: 'Weiter zu toolgate',
    },
    errors: {
      authentication_required:
        'Melden Sie sich mit der eingeladenen Adresse an, oder registrieren Sie sich damit, und öffnen Sie den Link dann noch einmal.',
      invitation_for_another_address:
        'Diese Einladung ging an eine andere Adresse. Melden Sie sich mit jener an.',
      already_member: 'Sie sind schon Mitglied dieser Organisation.',
      organization_suspended:
        'Diese Organisation ist gesperrt. Versuchen Sie es später noch einmal.',
      limit_reached:
        'Sie oder die Organisation haben eine Grenze erreicht. Fragen Sie die Person, die Sie eingeladen hat.',
      token_invalid:
        'Dieser Link ist abgelaufen oder wurde schon verwendet. Fordern Sie einen neuen an.',
      weak_password:
        'Wählen Sie 12 bis 128 Zeichen, die schwer zu erraten sind, zum Beispiel mehrere Wörter.',
      authentication_error: 'Der Code ist falsch, oder diese Anmeldung ist abgelaufen.',
      rate_limited: 'Zu viele Versuche. Warten Sie eine Weile, und versuchen Sie es dann erneut.',
      invalid_email: 'Das ist keine E-Mail-Adresse.',
      reauthentication_required:
        'Ihre Anmeldung liegt dafür zu lange zurück. Melden Sie sich noch einmal an.',
    },
    verify: {
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      body: 'Klicken Sie auf die Schaltfläche, um Ihre Adresse zu bestätigen. Danach können Sie sich anmelden.',
      action: 'E-Mail-Adresse bestätigen',
      done: 'Ihre E-Mail-Adresse ist bestätigt. Sie können sich jetzt anmelden.',
    },
    reset: {
      title: 'Neues Passwort festlegen',
      body: 'Sie werden auf allen Geräten abgemeldet.',
      password: 'Neues Passwort',
      show: 'Passwort anzeigen',
      rule: 'Mindestens 12 Zeichen, schwer zu erraten.',
      action: 'Neues Passwort speichern',
      done: 'Ihr neues Passwort ist gespeichert. Sie können sich jetzt damit anmelden.',
    },
    email_confirm: {
      title: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      body: 'Klicken Sie auf die Schaltfläche, um diese E-Mail-Adresse für Ihr Konto zu verwenden.',
      action: 'E-Mail-Adresse bestätigen',
      done: 'Ihr Konto verwendet jetzt diese E-Mail-Adresse.',
    },
    email_undo: {
      title: 'Änderung Ihrer E-Mail-Adresse rückgängig machen',
      body: 'Ihr Konto erhält seine frühere E-Mail-Adresse zurück, und Sie werden auf allen Geräten abgemeldet.',
      action: 'Änderung rückgängig machen',
      done: 'Ihr Konto hat wieder seine frühere E-Mail-Adresse. Wenn die Änderung nicht von Ihnen kam, legen Sie ein neues Passwort fest.',
    },
    invite: {
      title: 'Einer Organisation beitreten',
      body: 'Drücken Sie auf die Schaltfläche, um Mitglied dieser Organisation zu werden.',
      organization: 'Organisation',
      invited_by: 'Eingeladen von',
      email: 'Ihre E-Mail-Adresse',
      action: 'Beitreten',
      done: 'Sie sind jetzt Mitglied der Organisation.',
    },
    second_factor: {
      title: 'Zweiter Schritt',
      body: 'Geben Sie den Code Ihrer Authenticator-App oder einen Ihrer Wiederherstellungscodes ein.',
      code: 'Code',
      action: 'Anmelden',
      passkey: 'Passkey verwenden',
      passkey_failed:
        'Der Passkey wurde nicht akzeptiert. Versuchen Sie es noch einmal, oder beginnen Sie die Anmeldung von vorn.',
      done: 'Sie sind angemeldet.',
    },
    sign_in_email: {
      title: 'Ihre E-Mail-Adresse',
      body: 'Ihr Konto hat noch keine E-Mail-Adresse. Geben Sie Ihre Adresse ein, und wir senden Ihnen einen Link. Solange Sie ihn nicht öffnen, ändert sich nichts.',
      email: 'E-Mail-Adresse',
      action: 'Link senden',
      skip: 'Ohne Adresse fortfahren',
      done: 'Öffnen Sie den Link in der E-Mail, die wir Ihnen gesendet haben, um Ihre Adresse zu bestätigen.',
    },
    sign_in_refused: {
      title: 'Sie sind nicht angemeldet',
      denied: 'Die Anmeldung wurde beim anderen Dienst abgebrochen.',
      expired:
        'Diese Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuchen Sie es noch einmal.',
      provider_unavailable:
        'Der andere Dienst hat nicht geantwortet. Versuchen Sie es später noch einmal.',
      linked_elsewhere: 'Diese Anmeldemethode gehört bereits zu einem anderen Konto.',
      link_in_session:
        'Diese Anmeldemethode ist noch nicht mit Ihrem Konto verknüpft. Melden Sie sich auf andere Weise an, und fügen Sie sie in Ihrem Konto hinzu.',
      rate_limited:
        'Aus Ihrem Netz wurden zu viele Anmeldungen begonnen. Warten Sie eine Weile, und versuchen Sie es dann erneut.',
      sso_required:
        'Ihre Organisation verlangt, dass Sie sich bei ihrem eigenen Identitätsanbieter anmelden.',
      outside_domain:
        'Ihre Organisation hat die Domain Ihrer E-Mail-Adresse nicht bestätigt. Wenden Sie sich an ihre Administratoren.',
      account_not_linked:
        'Ihr Konto besteht bereits, und diese Anmeldung darf es nicht öffnen. Wenden Sie sich an die Administratoren Ihrer Organisation.',
      not_joined:
        'Sie konnten der Organisation nicht beitreten: Sie ist voll oder gesperrt, oder Ihre Mitgliedschaft ist beendet. Wenden Sie sich an ihre Administratoren.',
      failed:
        'Die Anmeldung ist fehlgeschlagen. Versuchen Sie es noch einmal, oder wählen Sie eine andere Anmeldemethode.',
    },
  },
};
