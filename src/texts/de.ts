import type { Texts } from './en.ts';

export const de: Texts = {
  emails: {
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      greeting: 'Willkommen bei toolgate.',
      body: 'Bestätigen Sie, dass diese Adresse Ihnen gehört. Danach können Sie sich anmelden.',
      action: 'Adresse bestätigen',
      note: 'Der Link gilt 24 Stunden. Wenn Sie sich nicht registriert haben, ignorieren Sie diese E-Mail.',
    },
    already_registered: {
      subject: 'Sie haben bereits ein Konto',
      greeting: 'Jemand wollte sich mit dieser Adresse registrieren.',
      body: 'Zu dieser Adresse gibt es bereits ein toolgate-Konto. Wenn Sie es waren, melden Sie sich einfach an.',
      note: 'Wenn Sie es nicht waren, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.',
    },
    reset: {
      subject: 'Neues Passwort festlegen',
      greeting: 'Jemand möchte Ihr Passwort zurücksetzen.',
      body: 'Wählen Sie ein neues Passwort. Alle Sitzungen Ihres Kontos werden dabei abgemeldet.',
      action: 'Neues Passwort wählen',
      note: 'Der Link gilt eine Stunde und nur einmal. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.',
    },
    password_changed: {
      subject: 'Ihr Passwort wurde geändert',
      greeting: 'Das Passwort Ihres Kontos wurde geändert.',
      body: 'Alle anderen Sitzungen Ihres Kontos wurden abgemeldet. Ihre API-Schlüssel gelten weiter.',
      note: 'Wenn Sie das nicht waren, setzen Sie Ihr Passwort jetzt zurück und widerrufen Sie Schlüssel, die Sie nicht kennen.',
    },
    email_confirm: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      greeting: 'Sie möchten diese Adresse für Ihr Konto verwenden.',
      body: 'Bestätigen Sie, dass sie Ihnen gehört. Bis dahin ändert sich nichts.',
      action: 'Adresse bestätigen',
      note: 'Der Link gilt 24 Stunden. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.',
    },
    email_changed: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      greeting: 'Ihr Konto hat eine neue E-Mail-Adresse.',
      body: 'Diese Adresse gehört nicht mehr zu Ihrem Konto. Wenn Sie das nicht waren, machen Sie die Änderung rückgängig.',
      action: 'Änderung rückgängig machen',
      note: 'Der Link gilt 24 Stunden. Dabei werden alle Sitzungen Ihres Kontos abgemeldet.',
    },
    email_taken: {
      subject: 'Zu dieser Adresse gibt es bereits ein Konto',
      greeting: 'Jemand wollte diese Adresse für ein anderes Konto verwenden.',
      body: 'Diese Adresse gehört bereits zu Ihrem Konto, deshalb wurde nichts geändert.',
      note: 'Wenn Sie es nicht waren, ignorieren Sie diese E-Mail.',
    },
    sign_in_linked: {
      subject: 'Eine neue Art, sich anzumelden',
      greeting: 'Sie können sich jetzt mit {{provider}} anmelden.',
      body: 'Jemand hat diese Adresse bei {{provider}} nachgewiesen und sich damit in Ihrem Konto angemeldet.',
      note: 'Wenn Sie das nicht waren, setzen Sie Ihr Passwort zurück und entfernen Sie diese Anmeldung.',
    },
    second_factor_changed: {
      subject: 'Ihr zweiter Faktor wurde geändert',
      greeting: 'Der zweite Faktor Ihres Kontos wurde geändert.',
      body: 'Ein zweiter Faktor oder Passkey wurde hinzugefügt oder entfernt, oder es wurden neue Wiederherstellungscodes erstellt.',
      note: 'Wenn Sie das nicht waren, setzen Sie Ihr Passwort zurück und prüfen Sie Ihre Sitzungen.',
    },
    recovery_code_used: {
      subject: 'Ein Wiederherstellungscode wurde verwendet',
      greeting: 'Jemand hat sich mit einem Wiederherstellungscode in Ihrem Konto angemeldet.',
      body: 'Dieser Code ist verbraucht. Erstellen Sie neue, bevor der letzte weg ist.',
      note: 'Wenn Sie das nicht waren, setzen Sie jetzt Ihr Passwort zurück und erstellen Sie dann neue Wiederherstellungscodes.',
    },
    account_deleted: {
      subject: 'Ihr Konto wurde gelöscht',
      greeting: 'Ihr toolgate-Konto wurde gelöscht.',
      body: 'Alles darin ist weg: API-Schlüssel, Sitzungen und Einstellungen. Es lässt sich nicht wiederherstellen.',
      note: 'Wenn Sie das nicht waren, konnte sich jemand als Sie anmelden: Ändern Sie Ihr Passwort überall, wo Sie es sonst verwenden.',
    },
    frame: {
      fallback: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
      footer: 'Diese E-Mail wurde automatisch von {{host}} versendet.',
    },
  },
  pages: {
    frame: {
      script: 'Diese Seite benötigt JavaScript.',
      wait: 'Einen Moment bitte.',
      incomplete: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal ganz.',
      unanswered: 'Der Dienst hat nicht geantwortet. Versuchen Sie es noch einmal.',
      home: 'Weiter zu toolgate',
    },
    errors: {
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
      body: 'Drücken Sie die Schaltfläche. Danach können Sie sich anmelden.',
      action: 'Adresse bestätigen',
      done: 'Ihre Adresse ist bestätigt. Sie können sich jetzt anmelden.',
    },
    reset: {
      title: 'Neues Passwort festlegen',
      body: 'Alle Sitzungen Ihres Kontos werden dabei abgemeldet.',
      password: 'Neues Passwort',
      show: 'Passwort anzeigen',
      rule: 'Mindestens 12 Zeichen, schwer zu erraten.',
      action: 'Neues Passwort speichern',
      done: 'Ihr neues Passwort ist gespeichert. Sie können sich jetzt damit anmelden.',
    },
    email_confirm: {
      title: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      body: 'Drücken Sie die Schaltfläche, um diese Adresse künftig für Ihr Konto zu verwenden.',
      action: 'Adresse bestätigen',
      done: 'Ihr Konto hat jetzt seine neue Adresse.',
    },
    email_undo: {
      title: 'Änderung Ihrer E-Mail-Adresse rückgängig machen',
      body: 'Ihr Konto erhält seine alte Adresse zurück, und alle seine Sitzungen werden abgemeldet.',
      action: 'Änderung rückgängig machen',
      done: 'Ihr Konto hat wieder seine alte Adresse. Wenn die Änderung nicht von Ihnen kam, setzen Sie ein neues Passwort.',
    },
    second_factor: {
      title: 'Zweiter Schritt',
      body: 'Geben Sie den Code Ihrer Authenticator-App oder einen Ihrer Wiederherstellungscodes ein.',
      code: 'Code',
      action: 'Anmelden',
      passkey: 'Passkey verwenden',
      passkey_failed:
        'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder beginnen Sie die Anmeldung von vorn.',
      done: 'Sie sind angemeldet.',
    },
    sign_in_email: {
      title: 'Ihre E-Mail-Adresse',
      body: 'Ihr Konto hat noch keine E-Mail-Adresse. Geben Sie Ihre ein, und wir senden ihr einen Link; bevor Sie ihn öffnen, ändert sich nichts.',
      email: 'E-Mail-Adresse',
      action: 'Link senden',
      skip: 'Ohne Adresse fortfahren',
      done: 'Sehen Sie in Ihr Postfach: Der Link in unserer E-Mail bestätigt die Adresse.',
    },
    sign_in_refused: {
      title: 'Sie sind nicht angemeldet',
      denied: 'Die Anmeldung wurde beim anderen Dienst abgebrochen.',
      expired:
        'Diese Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuchen Sie es noch einmal.',
      provider_unavailable:
        'Der andere Dienst hat nicht geantwortet. Versuchen Sie es später noch einmal.',
      linked_elsewhere: 'Diese Anmeldung gehört bereits zu einem anderen Konto.',
      link_in_session:
        'Ihr Konto nimmt diese Anmeldung noch nicht an. Melden Sie sich auf andere Weise an, und fügen Sie sie dort hinzu.',
      rate_limited:
        'Aus Ihrem Netz wurden zu viele Anmeldungen begonnen. Warten Sie eine Weile, und versuchen Sie es dann erneut.',
      sso_required:
        'Ihre Organisation verlangt, dass Sie sich bei ihrem eigenen Identitätsanbieter anmelden.',
      failed:
        'Die Anmeldung ist nicht gelungen. Versuchen Sie es noch einmal, oder wählen Sie eine andere Art der Anmeldung.',
    },
  },
};
