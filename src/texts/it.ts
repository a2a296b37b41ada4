import type { Texts } from './en.ts';

export const it: Texts = {
  emails: {
    verify: {
      subject: 'Confermi il Suo indirizzo e-mail',
      greeting: 'Le diamo il benvenuto su toolgate.',
      body: 'Confermi che questo indirizzo e-mail è Suo. Poi potrà accedere.',
      action: 'Conferma indirizzo e-mail',
      note: 'Questo link scade tra 24 ore. Se non ha effettuato Lei la registrazione, può ignorare questa e-mail.',
    },
    already_registered: {
      subject: 'Ha già un account',
      greeting: 'Qualcuno ha provato a registrarsi con il Suo indirizzo e-mail.',
      body: 'Per questo indirizzo esiste già un account toolgate. Se è stato Lei, effettui l’accesso. Se ha dimenticato la password, può reimpostarla.',
      note: 'Se non è stato Lei, può ignorare questa e-mail. Non è stato modificato nulla.',
    },
    reset: {
      subject: 'Reimposti la Sua password',
      greeting: 'Abbiamo ricevuto una richiesta di reimpostazione della Sua password.',
      body: 'Quando imposterà una nuova password, tutte le Sue sessioni verranno chiuse. Le Sue chiavi API continueranno a funzionare.',
      action: 'Imposta una nuova password',
      note: 'Questo link scade tra un’ora e può essere usato una sola volta. Se non lo ha richiesto Lei, può ignorare questa e-mail. La Sua password non è stata modificata.',
    },
    invitation: {
      subject: 'Ha ricevuto un invito a un’organizzazione',
      greeting: 'Ha ricevuto un invito a unirsi a un’organizzazione su toolgate.',
      body: 'Apra l’invito per vedere di quale organizzazione si tratta e da chi proviene. Poi potrà unirsi con questo indirizzo e-mail.',
      action: 'Vedi l’invito',
      note: 'Questo link funziona una sola volta e scade tra 7 giorni. Se non sa di che cosa si tratta, può ignorare questa e-mail.',
    },
    password_changed: {
      subject: 'La Sua password è stata modificata',
      greeting: 'La password del Suo account toolgate è stata modificata.',
      body: 'Tutte le altre sessioni sono state chiuse. Le Sue chiavi API continuano a funzionare.',
      note: 'Se non è stato Lei, reimposti subito la password e revochi le chiavi API che non riconosce.',
    },
    email_confirm: {
      subject: 'Confermi il Suo nuovo indirizzo e-mail',
      greeting: 'Ha chiesto di usare questo indirizzo e-mail per il Suo account toolgate.',
      body: 'Confermi che è Suo. Fino ad allora non cambierà nulla.',
      action: 'Conferma indirizzo e-mail',
      note: 'Questo link scade tra 24 ore. Se non lo ha richiesto Lei, può ignorare questa e-mail.',
    },
    email_changed: {
      subject: 'Il Suo indirizzo e-mail è stato modificato',
      greeting: 'L’indirizzo e-mail del Suo account toolgate è stato modificato.',
      body: 'Questo indirizzo non è più associato al Suo account. Se non è stato Lei, annulli la modifica.',
      action: 'Annulla la modifica',
      note: 'Questo link scade tra 24 ore. Se annulla la modifica, tutte le Sue sessioni verranno chiuse.',
    },
    email_taken: {
      subject: 'Per questo indirizzo e-mail esiste già un account',
      greeting:
        'Qualcuno ha chiesto di usare il Suo indirizzo e-mail per un altro account toolgate.',
      body: 'L’indirizzo è già associato al Suo account, perciò non è stato modificato nulla.',
      note: 'Se non è stato Lei, può ignorare questa e-mail.',
    },
    sign_in_linked: {
      subject: 'Nuovo metodo di accesso aggiunto',
      greeting: 'Ora può accedere al Suo account toolgate con {{provider}}.',
      body: 'Chiunque abbia accesso all’account {{provider}} collegato può ora accedere al Suo account.',
      note: 'Se non è stato Lei, reimposti la password e rimuova {{provider}} dai Suoi metodi di accesso.',
    },
    second_factor_changed: {
      subject: 'La Sua autenticazione a due fattori è stata modificata',
      greeting:
        'Le impostazioni di autenticazione a due fattori del Suo account toolgate sono state modificate.',
      body: 'È stata aggiunta o rimossa un’app di autenticazione o una passkey, oppure sono stati creati nuovi codici di recupero.',
      note: 'Se non è stato Lei, reimposti la password, poi controlli le impostazioni di autenticazione a due fattori e le Sue sessioni.',
    },
    recovery_code_used: {
      subject: 'È stato usato un codice di recupero',
      greeting:
        'Qualcuno ha effettuato l’accesso al Suo account toolgate con un codice di recupero.',
      body: 'Ogni codice funziona una sola volta. Ne crei di nuovi prima di usare l’ultimo.',
      note: 'Se non è stato Lei, reimposti subito la password e poi crei nuovi codici di recupero.',
    },
    account_deleted: {
      subject: 'Il Suo account è stato eliminato',
      greeting: 'Il Suo account toolgate è stato eliminato.',
      body: 'È stato eliminato anche tutto il suo contenuto, comprese le chiavi API e le impostazioni. L’operazione è irreversibile.',
      note: 'Se non è stato Lei, un’altra persona è riuscita ad accedere al Suo account. Se usa la stessa password altrove, la cambi anche lì.',
    },
    added_to_organization: {
      subject: 'È stato aggiunto a un’organizzazione',
      greeting: 'Un’organizzazione ha aggiunto il Suo account toolgate ai propri membri.',
      body: 'Gestisce il dominio del Suo indirizzo e-mail. Il Suo spazio, le Sue chiavi API e le Sue impostazioni restano Suoi.',
      note: 'Può lasciare l’organizzazione in qualsiasi momento. Se non sa di che cosa si tratta, chieda ai suoi amministratori.',
    },
    frame: {
      fallback: 'Se il pulsante non funziona, apra questo link:',
      footer: 'Questa e-mail è stata inviata automaticamente da {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Questa pagina richiede JavaScript.',
      wait: 'Un momento.',
      incomplete: 'Questo link è incompleto. Verifichi di aver copiato il link per intero.',
      unanswered: 'Il servizio non ha risposto. Riprovi.',
      home: 'Continua su toolgate',
    },
    errors: {
      authentication_required:
        'Acceda con l’indirizzo invitato, o si registri con esso, poi apra di nuovo il link.',
      invitation_for_another_address:
        'Questo invito è stato inviato a un altro indirizzo. Acceda con quello.',
      already_member: 'Fa già parte di questa organizzazione.',
      organization_suspended: 'Questa organizzazione è sospesa. Riprovi più tardi.',
      limit_reached:
        'Lei o l’organizzazione avete raggiunto un limite. Si rivolga a chi L’ha invitata.',
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
      body: 'Prema il pulsante per confermare il Suo indirizzo. Poi potrà accedere.',
      action: 'Conferma indirizzo e-mail',
      done: 'Il Suo indirizzo è confermato. Ora può accedere.',
    },
    reset: {
      title: 'Imposti una nuova password',
      body: 'Tutte le Sue sessioni verranno chiuse.',
      password: 'Nuova password',
      show: 'Mostra la password',
      rule: 'Almeno 12 caratteri, difficili da indovinare.',
      action: 'Salva la nuova password',
      done: 'La nuova password è stata salvata. Ora può usarla per accedere.',
    },
    email_confirm: {
      title: 'Confermi il Suo nuovo indirizzo e-mail',
      body: 'Prema il pulsante per usare questo indirizzo e-mail per il Suo account.',
      action: 'Conferma indirizzo e-mail',
      done: 'Il Suo account usa ora questo indirizzo e-mail.',
    },
    email_undo: {
      title: 'Annulli la modifica del Suo indirizzo e-mail',
      body: 'Il Suo account riavrà l’indirizzo precedente e tutte le Sue sessioni verranno chiuse.',
      action: 'Annulla la modifica',
      done: 'Il Suo account ha di nuovo l’indirizzo precedente. Se la modifica non è stata fatta da Lei, imposti una nuova password.',
    },
    invite: {
      title: 'Unirsi a un’organizzazione',
      body: 'Prema il pulsante per entrare a far parte di questa organizzazione.',
      organization: 'Organizzazione',
      invited_by: 'Invito da parte di',
      email: 'Il Suo indirizzo e-mail',
      action: 'Unisciti',
      done: 'Ora fa parte dell’organizzazione.',
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
      body: 'Il Suo account non ha ancora un indirizzo e-mail. Inserisca il Suo e Le invieremo un link. Non cambierà nulla finché non lo aprirà.',
      email: 'Indirizzo e-mail',
      action: 'Invia il link',
      skip: 'Continua senza indirizzo',
      done: 'Controlli la Sua casella di posta e apra il link che abbiamo inviato per confermare l’indirizzo.',
    },
    sign_in_refused: {
      title: 'Accesso non effettuato',
      denied: 'L’accesso è stato annullato sull’altro servizio.',
      expired:
        'Questo accesso ha richiesto troppo tempo o è stato avviato in un altro browser. Riprovi.',
      provider_unavailable: 'L’altro servizio non ha risposto. Riprovi più tardi.',
      linked_elsewhere: 'Questo metodo di accesso è già collegato a un altro account.',
      link_in_session:
        'Questo metodo di accesso non è ancora collegato al Suo account. Acceda in un altro modo, poi lo aggiunga nel Suo account.',
      rate_limited:
        'Dalla Sua rete sono stati avviati troppi accessi. Attenda un po’ e poi riprovi.',
      sso_required: 'La Sua organizzazione richiede l’accesso con il proprio provider di identità.',
      outside_domain:
        'La sua organizzazione non ha confermato il dominio del suo indirizzo e-mail. Si rivolga ai suoi amministratori.',
      account_not_linked:
        'Il suo account esiste già e questo accesso non può aprirlo. Si rivolga agli amministratori della sua organizzazione.',
      not_joined:
        'Non è stato possibile entrare nell’organizzazione: è al completo o sospesa, oppure Lei non ne è più membro. Si rivolga ai suoi amministratori.',
      failed: 'L’accesso non è riuscito. Riprovi o scelga un altro metodo di accesso.',
    },
  },
};
