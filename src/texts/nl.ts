import type { Texts } from './en.ts';

export const nl: Texts = {
  emails: {
    verify: {
      subject: 'Bevestig uw e-mailadres',
      greeting: 'Welkom bij toolgate.',
      body: 'Bevestig dat dit adres van u is, dan kunt u inloggen op uw account.',
      action: 'Dit adres bevestigen',
      note: 'De link is 24 uur geldig. Hebt u zich niet geregistreerd, negeer dan deze e-mail.',
    },
    already_registered: {
      subject: 'U hebt al een account',
      greeting: 'Iemand probeerde zich met dit adres te registreren.',
      body: 'Bij dit adres hoort al een toolgate-account. Was u het zelf, log dan gewoon in.',
      note: 'Was u het niet, negeer dan deze e-mail. Er is niets veranderd.',
    },
    reset: {
      subject: 'Stel een nieuw wachtwoord in',
      greeting: 'Iemand heeft gevraagd uw wachtwoord opnieuw in te stellen.',
      body: 'Kies een nieuw wachtwoord. Alle sessies van uw account worden daarbij uitgelogd.',
      action: 'Een nieuw wachtwoord kiezen',
      note: 'De link is een uur geldig en werkt één keer. Hebt u er niet om gevraagd, negeer dan deze e-mail.',
    },
    password_changed: {
      subject: 'Uw wachtwoord is gewijzigd',
      greeting: 'Het wachtwoord van uw account is gewijzigd.',
      body: 'Alle andere sessies van uw account zijn uitgelogd. Uw API-sleutels blijven werken.',
      note: 'Was u het niet, stel dan nu uw wachtwoord opnieuw in en trek de sleutels in die u niet kent.',
    },
    email_confirm: {
      subject: 'Bevestig uw nieuwe e-mailadres',
      greeting: 'U hebt gevraagd dit adres voor uw account te gebruiken.',
      body: 'Bevestig dat het van u is. Tot dan verandert er niets.',
      action: 'Dit adres bevestigen',
      note: 'De link is 24 uur geldig. Hebt u er niet om gevraagd, negeer dan deze e-mail.',
    },
    email_changed: {
      subject: 'Uw e-mailadres is gewijzigd',
      greeting: 'Uw account heeft een nieuw e-mailadres.',
      body: 'Dit adres hoort niet meer bij uw account. Was u het niet, maak de wijziging dan ongedaan.',
      action: 'De wijziging ongedaan maken',
      note: 'De link is 24 uur geldig. Ongedaan maken logt alle sessies van uw account uit.',
    },
    email_taken: {
      subject: 'Bij dit adres hoort al een account',
      greeting: 'Iemand heeft gevraagd dit adres voor een ander account te gebruiken.',
      body: 'Dit adres hoort bij uw account, dus er is niets gewijzigd.',
      note: 'Was u het niet, negeer dan deze e-mail.',
    },
    sign_in_linked: {
      subject: 'Een nieuwe manier om in te loggen',
      greeting: 'U kunt nu inloggen met {{provider}}.',
      body: 'Iemand die dit adres bij {{provider}} heeft aangetoond, heeft ingelogd op uw account.',
      note: 'Was u het niet, stel dan uw wachtwoord opnieuw in en verwijder deze manier van inloggen.',
    },
    second_factor_changed: {
      subject: 'Uw tweede factor is gewijzigd',
      greeting: 'De tweede factor van uw account is gewijzigd.',
      body: 'Er is een tweede factor of toegangssleutel toegevoegd of verwijderd, of er zijn nieuwe herstelcodes gemaakt.',
      note: 'Was u het niet, stel dan uw wachtwoord opnieuw in en controleer uw sessies.',
    },
    recovery_code_used: {
      subject: 'Er is een herstelcode gebruikt',
      greeting: 'Iemand heeft zich met een herstelcode bij uw account aangemeld.',
      body: 'Deze code is verbruikt. Maak nieuwe voordat de laatste op is.',
      note: 'Was u het niet, stel dan nu uw wachtwoord opnieuw in en maak daarna nieuwe herstelcodes.',
    },
    account_deleted: {
      subject: 'Uw account is verwijderd',
      greeting: 'Uw toolgate-account is verwijderd.',
      body: 'Alles wat erin stond is weg: API-sleutels, sessies en instellingen. Het kan niet worden hersteld.',
      note: 'Was u het niet, dan kon iemand zich als u aanmelden: wijzig uw wachtwoord overal waar u het nog gebruikt.',
    },
    frame: {
      fallback: 'Werkt de knop niet, open dan dit adres:',
      footer: 'Deze e-mail is automatisch verzonden door {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Deze pagina heeft JavaScript nodig.',
      wait: 'Een ogenblik.',
      incomplete: 'Deze link is onvolledig. Open hem opnieuw in zijn geheel.',
      unanswered: 'De dienst gaf geen antwoord. Probeer het opnieuw.',
      home: 'Verder naar toolgate',
    },
    errors: {
      token_invalid: 'Deze link is verlopen of al gebruikt. Vraag een nieuwe aan.',
      weak_password: 'Kies 12 tot 128 tekens die moeilijk te raden zijn, zoals meerdere woorden.',
      authentication_error: 'De code is onjuist, of deze inlogpoging is verlopen.',
      rate_limited: 'Te veel pogingen. Wacht even en probeer het dan opnieuw.',
      invalid_email: 'Dit is geen e-mailadres.',
      reauthentication_required: 'U bent hiervoor te lang geleden ingelogd. Log opnieuw in.',
    },
    verify: {
      title: 'Bevestig uw e-mailadres',
      body: 'Druk op de knop, dan kunt u inloggen op uw account.',
      action: 'Dit adres bevestigen',
      done: 'Uw adres is bevestigd. U kunt nu inloggen.',
    },
    reset: {
      title: 'Stel een nieuw wachtwoord in',
      body: 'Alle sessies van uw account worden daarbij uitgelogd.',
      password: 'Nieuw wachtwoord',
      show: 'Wachtwoord tonen',
      rule: 'Minstens 12 tekens, moeilijk te raden.',
      action: 'Het nieuwe wachtwoord opslaan',
      done: 'Uw nieuwe wachtwoord is ingesteld. U kunt er nu mee inloggen.',
    },
    email_confirm: {
      title: 'Bevestig uw nieuwe e-mailadres',
      body: 'Druk op de knop om dit adres voortaan voor uw account te gebruiken.',
      action: 'Dit adres bevestigen',
      done: 'Uw account heeft nu zijn nieuwe adres.',
    },
    email_undo: {
      title: 'Maak de wijziging van uw e-mailadres ongedaan',
      body: 'Uw account krijgt zijn oude adres terug en al zijn sessies worden uitgelogd.',
      action: 'De wijziging ongedaan maken',
      done: 'Uw account heeft zijn oude adres terug. Stel een nieuw wachtwoord in als de wijziging niet van u kwam.',
    },
    second_factor: {
      title: 'Tweede stap',
      body: 'Voer de code van uw authenticator-app of een van uw herstelcodes in.',
      code: 'Code',
      action: 'Inloggen',
      passkey: 'Een passkey gebruiken',
      passkey_failed:
        'De passkey is niet geaccepteerd. Probeer het opnieuw of begin opnieuw met inloggen.',
      done: 'U bent ingelogd.',
    },
    sign_in_email: {
      title: 'Uw e-mailadres',
      body: 'Uw account heeft nog geen e-mailadres. Voer het uwe in, dan sturen we er een link naartoe; er verandert niets voordat u die opent.',
      email: 'E-mailadres',
      action: 'De link sturen',
      skip: 'Verder zonder adres',
      done: 'Kijk in uw postvak: de link die we hebben gestuurd bevestigt het adres.',
    },
    sign_in_refused: {
      title: 'U bent niet ingelogd',
      denied: 'Het inloggen is bij de andere dienst geannuleerd.',
      expired:
        'Dit inloggen duurde te lang of is in een andere browser begonnen. Probeer het opnieuw.',
      provider_unavailable: 'De andere dienst gaf geen antwoord. Probeer het later opnieuw.',
      linked_elsewhere: 'Deze manier van inloggen hoort al bij een ander account.',
      link_in_session:
        'Uw account accepteert deze manier van inloggen nog niet. Log op een andere manier in en voeg haar daar toe.',
      rate_limited:
        'Er is te vaak vanaf uw netwerk begonnen met inloggen. Wacht even en probeer het dan opnieuw.',
      sso_required: 'Uw organisatie eist dat u inlogt bij haar eigen identiteitsprovider.',
      failed: 'Het inloggen is niet gelukt. Probeer het opnieuw of kies een andere manier.',
    },
  },
};
