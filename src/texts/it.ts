import type { Texts } from './en.ts';

export const it: Texts = {
  emails: {
    verify: {
      subject: 'Confermi il Suo indirizzo e-mail',
      greeting: 'Benvenuti in toolgate.',
      body: 'Confermi che questo indirizzo è Suo e il Suo account sarà pronto per l’accesso.',
      action: 'Conferma questo indirizzo',
      note: 'Il link è valido per 24 ore. Se non si è registrato Lei, ignori questa e-mail.',
    },
    already_registered: {
      subject: 'Lei ha già un account',
      greeting: 'Qualcuno ha provato a registrarsi con questo indirizzo.',
      body: 'Per questo indirizzo esiste già un account toolgate. Se è stato Lei, effettui l’accesso.',
      note: 'Se non è stato Lei, ignori questa e-mail. Non è cambiato nulla.',
    },
    reset: {
      subject: 'Imposti una nuova password',
      greeting: 'Qualcuno ha chiesto di reimpostare la Sua password.',
      body: 'Scelga una nuova password. Tutte le sessioni del Suo account verranno chiuse.',
      action: 'Scegli una nuova password',
      note: 'Il link è valido per un’ora e una sola volta. Se non l’ha chiesto Lei, ignori questa e-mail.',
    },
    password_changed: {
      subject: 'La Sua password è stata modificata',
      greeting: 'La password del Suo account è stata modificata.',
      body: 'Tutte le altre sessioni del Suo account sono state chiuse. Le Sue chiavi API continuano a funzionare.',
      note: 'Se non è stato Lei, reimposti subito la password e revochi le chiavi che non riconosce.',
    },
    email_confirm: {
      subject: 'Confermi il Suo nuovo indirizzo e-mail',
      greeting: 'Lei ha chiesto di usare questo indirizzo per il Suo account.',
      body: 'Confermi che è Suo. Fino ad allora non cambia nulla.',
      action: 'Conferma questo indirizzo',
      note: 'Il link è valido per 24 ore. Se non l’ha chiesto Lei, ignori questa e-mail.',
    },
    email_changed: {
      subject: 'Il Suo indirizzo e-mail è stato modificato',
      greeting: 'Il Suo account ha un nuovo indirizzo e-mail.',
      body: 'Questo indirizzo non è più quello del Suo account. Se non è stato Lei, annulli la modifica.',
      action: 'Annulla la modifica',
      note: 'Il link è valido per 24 ore. L’annullamento chiude tutte le sessioni del Suo account.',
    },
    email_taken: {
      subject: 'Questo indirizzo ha già un account',
      greeting: 'Qualcuno ha chiesto di usare questo indirizzo per un altro account.',
      body: 'Questo indirizzo è quello del Suo account, perciò non è stato modificato nulla.',
      note: 'Se non è stato Lei, ignori questa e-mail.',
    },
    sign_in_linked: {
      subject: 'Un nuovo modo di accedere',
      greeting: 'Ora può accedere con {{provider}}.',
      body: 'Qualcuno che ha dimostrato di possedere questo indirizzo presso {{provider}} ha effettuato l’accesso al Suo account.',
      note: 'Se non è stato Lei, reimposti la password e rimuova questo modo di accedere.',
    },
    second_factor_changed: {
      subject: 'Il Suo secondo fattore è stato modificato',
      greeting: 'Il secondo fattore del Suo account è stato modificato.',
      body: 'Un secondo fattore o una passkey è stato aggiunto o rimosso, oppure sono stati creati nuovi codici di recupero.',
      note: 'Se non è stato Lei, reimposti la password e controlli le Sue sessioni.',
    },
    recovery_code_used: {
      subject: 'È stato usato un codice di recupero',
      greeting: 'Qualcuno ha effettuato l’accesso al Suo account con un codice di recupero.',
      body: 'Questo codice non vale più. Ne crei di nuovi prima di usare l’ultimo.',
      note: 'Se non è stato Lei, reimposti subito la password e poi crei nuovi codici di recupero.',
    },
    account_deleted: {
      subject: 'Il Suo account è stato eliminato',
      greeting: 'Il Suo account toolgate è stato eliminato.',
      body: 'Tutto ciò che conteneva non c’è più: chiavi API, sessioni e impostazioni. Non può essere ripristinato.',
      note: 'Se non è stato Lei, qualcuno poteva accedere al Suo posto: cambi la password ovunque altro la usi.',
    },
    frame: {
      fallback: 'Se il pulsante non funziona, apra questo indirizzo:',
      footer: 'Questa e-mail è stata inviata automaticamente da {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Questa pagina richiede JavaScript.',
      wait: 'Un momento.',
      incomplete: 'Questo link è incompleto. Lo apra di nuovo per intero.',
      unanswered: 'Il servizio non ha risposto. Riprovi.',
      home: 'Continua su toolgate',
    },
    errors: {
      token_invalid: 'Questo link è scaduto o è già stato usato. Ne richieda uno nuovo.',
      weak_password:
        'Scelga da 12 a 128 caratteri difficili da indovinare, per esempio più parole.',
      authentication_error: 'Il codice è errato oppure questo accesso è scaduto.',
      rate_limited: 'Troppi tentativi. Attenda un po’ e poi riprovi.',
      invalid_email: 'Questo non è un indirizzo e-mail.',
      reauthentication_required: 'Il Suo accesso è troppo vecchio per questo. Acceda di nuovo.',
    },
    verify: {
      title: 'Confermi il Suo indirizzo e-mail',
      body: 'Prema il pulsante e il Suo account sarà pronto per l’accesso.',
      action: 'Conferma questo indirizzo',
      done: 'Il Suo indirizzo è confermato. Ora può accedere.',
    },
    reset: {
      title: 'Imposti una nuova password',
      body: 'Tutte le sessioni del Suo account verranno chiuse.',
      password: 'Nuova password',
      show: 'Mostra la password',
      rule: 'Almeno 12 caratteri, difficili da indovinare.',
      action: 'Salva la nuova password',
      done: 'La nuova password è stata salvata. Ora può usarla per accedere.',
    },
    email_confirm: {
      title: 'Confermi il Suo nuovo indirizzo e-mail',
      body: 'Prema il pulsante per usare d’ora in poi questo indirizzo per il Suo account.',
      action: 'Conferma questo indirizzo',
      done: 'Il Suo account ha ora il nuovo indirizzo.',
    },
    email_undo: {
      title: 'Annulli la modifica del Suo indirizzo e-mail',
      body: 'Il Suo account riottiene il vecchio indirizzo e tutte le sue sessioni vengono chiuse.',
      action: 'Annulla la modifica',
      done: 'Il Suo account ha di nuovo il vecchio indirizzo. Se la modifica non era Sua, imposti una nuova password.',
    },
    second_factor: {
      title: 'Secondo passaggio',
      body: 'Inserisca il codice della Sua app di autenticazione o uno dei Suoi codici di recupero.',
      code: 'Codice',
      action: 'Accedi',
      passkey: 'Usa una passkey',
      passkey_failed: 'La passkey non è stata accettata. Riprovi o ricominci l’accesso.',
      done: 'Accesso effettuato.',
    },
    sign_in_email: {
      title: 'Il Suo indirizzo e-mail',
      body: 'Il Suo account non ha ancora un indirizzo e-mail. Inserisca il Suo e vi invieremo un link; nulla cambia prima che Lei lo apra.',
      email: 'Indirizzo e-mail',
      action: 'Invia il link',
      skip: 'Continua senza indirizzo',
      done: 'Controlli la Sua casella: il link che abbiamo inviato conferma l’indirizzo.',
    },
    sign_in_refused: {
      title: 'Accesso non effettuato',
      denied: 'L’accesso è stato annullato presso l’altro servizio.',
      expired:
        'Questo accesso ha richiesto troppo tempo o è stato iniziato in un altro browser. Riprovi.',
      provider_unavailable: 'L’altro servizio non ha risposto. Riprovi più tardi.',
      linked_elsewhere: 'Questo modo di accedere appartiene già a un altro account.',
      link_in_session:
        'Il Suo account non accetta ancora questo modo di accedere. Acceda in un altro modo, poi lo aggiunga lì.',
      rate_limited:
        'Dalla Sua rete sono stati iniziati troppi accessi. Attenda un po’ e poi riprovi.',
      sso_required:
        'La Sua organizzazione richiede che Lei acceda presso il proprio provider di identità.',
      failed: 'L’accesso non è riuscito. Riprovi o scelga un altro modo di accedere.',
    },
  },
};
