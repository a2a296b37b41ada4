import type { Texts } from './en.ts';

export const nl: Texts = {
  emails: {
    verify: {
      subject: 'Bevestig uw e-mailadres',
      greeting: 'Welkom bij toolgate.',
      body: 'Bevestig dat dit e-mailadres van u is. Daarna kunt u inloggen.',
      action: 'E-mailadres bevestigen',
      note: 'Deze link verloopt over 24 uur. Als u zich niet hebt geregistreerd, kunt u deze e-mail negeren.',
    },
    already_registered: {
      subject: 'U hebt al een account',
      greeting: 'Iemand heeft geprobeerd zich met uw e-mailadres te registreren.',
      body: 'Bij dit adres hoort al een toolgate-account. Was u dit zelf, log dan gewoon in. Als u uw wachtwoord bent vergeten, kunt u het opnieuw instellen.',
      note: 'Was u dit niet, dan kunt u deze e-mail negeren. Er is niets gewijzigd.',
    },
    reset: {
      subject: 'Stel uw wachtwoord opnieuw in',
      greeting: 'We hebben een verzoek ontvangen om uw wachtwoord opnieuw in te stellen.',
      body: 'Als u een nieuw wachtwoord instelt, wordt u op alle apparaten uitgelogd. Uw API-sleutels blijven werken.',
      action: 'Nieuw wachtwoord instellen',
      note: 'Deze link verloopt over een uur en werkt maar één keer. Als u hier niet om hebt gevraagd, kunt u deze e-mail negeren. Uw wachtwoord is niet gewijzigd.',
    },
    invitation: {
      subject: 'U bent uitgenodigd voor een organisatie',
      greeting: 'U bent uitgenodigd om lid te worden van een organisatie op toolgate.',
      body: 'Open de uitnodiging om te zien om welke organisatie het gaat en wie u heeft uitgenodigd. Daarna kunt u met dit e-mailadres lid worden.',
      action: 'Uitnodiging bekijken',
      note: 'Deze link werkt één keer en verloopt over 7 dagen. Als u niet weet waar dit over gaat, kunt u deze e-mail negeren.',
    },
    password_changed: {
      subject: 'Uw wachtwoord is gewijzigd',
      greeting: 'Het wachtwoord van uw toolgate-account is gewijzigd.',
      body: 'U bent op alle andere apparaten uitgelogd. Uw API-sleutels blijven werken.',
      note: 'Was u dit niet, stel dan nu uw wachtwoord opnieuw in en trek alle API-sleutels in die u niet herkent.',
    },
    email_confirm: {
      subject: 'Bevestig uw nieuwe e-mailadres',
      greeting: 'U hebt gevraagd dit e-mailadres voor uw toolgate-account te gebruiken.',
      body: 'Bevestig dat het van u is. Tot die tijd verandert er niets.',
      action: 'E-mailadres bevestigen',
      note: 'Deze link verloopt over 24 uur. Als u hier niet om hebt gevraagd, kunt u deze e-mail negeren.',
    },
    email_changed: {
      subject: 'Uw e-mailadres is gewijzigd',
      greeting: 'Het e-mailadres van uw toolgate-account is gewijzigd.',
      body: 'Dit adres hoort niet meer bij uw account. Was u dit niet, maak de wijziging dan ongedaan.',
      action: 'Wijziging ongedaan maken',
      note: 'Deze link verloopt over 24 uur. Als u de wijziging ongedaan maakt, wordt u op alle apparaten uitgelogd.',
    },
    email_taken: {
      subject: 'Bij dit e-mailadres hoort al een account',
      greeting:
        'Iemand heeft gevraagd uw e-mailadres voor een ander toolgate-account te gebruiken.',
      body: 'Het adres hoort al bij uw account, dus er is niets gewijzigd.',
      note: 'Was u dit niet, dan kunt u deze e-mail negeren.',
    },
    sign_in_linked: {
      subject: 'Nieuwe inlogmethode toegevoegd',
      greeting: 'U kunt nu met {{provider}} inloggen op uw toolgate-account.',
      body: 'Iedereen met toegang tot het gekoppelde {{provider}}-account kan nu inloggen op uw account.',
      note: 'Was u dit niet, stel dan uw wachtwoord opnieuw in en verwijder {{provider}} uit uw inlogmethoden.',
    },
    second_factor_changed: {
      subject: 'Uw tweestapsverificatie is gewijzigd',
      greeting: 'De instellingen voor tweestapsverificatie van uw toolgate-account zijn gewijzigd.',
      body: 'Er is een authenticator-app of passkey toegevoegd of verwijderd, of er zijn nieuwe herstelcodes aangemaakt.',
      note: 'Was u dit niet, stel dan uw wachtwoord opnieuw in en controleer daarna uw tweestapsverificatie en uw sessies.',
    },
    recovery_code_used: {
      subject: 'Er is een herstelcode gebruikt',
      greeting: 'Iemand heeft met een herstelcode ingelogd op uw toolgate-account.',
      body: 'Elke code werkt maar één keer. Maak nieuwe codes aan voordat de laatste op is.',
      note: 'Was u dit niet, stel dan nu uw wachtwoord opnieuw in en maak daarna nieuwe herstelcodes aan.',
    },
    account_deleted: {
      subject: 'Uw account is verwijderd',
      greeting: 'Uw toolgate-account is verwijderd.',
      body: 'Alles in het account is ook verwijderd, waaronder uw API-sleutels en instellingen. Dit kan niet ongedaan worden gemaakt.',
      note: 'Was u dit niet, dan heeft iemand anders kunnen inloggen op uw account. Als u hetzelfde wachtwoord ergens anders gebruikt, wijzig het daar dan ook.',
    },
    added_to_organization: {
      subject: 'U bent toegevoegd aan een organisatie',
      greeting: 'Een organisatie heeft uw toolgate-account aan haar leden toegevoegd.',
      body: 'Zij beheert het domein van uw e-mailadres. Uw eigen ruimte, API-sleutels en instellingen blijven van u.',
      note: 'U kunt de organisatie op elk moment verlaten. Als u niet weet waar dit over gaat, vraag het dan aan haar beheerders.',
    },
    frame: {
      fallback: 'Werkt de knop niet, open dan deze link:',
      footer: 'Deze e-mail is automatisch verzonden door {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Deze pagina heeft JavaScript nodig.',
      wait: 'Een ogenblik.',
      incomplete: 'Deze link is onvolledig. Controleer of u de hele link hebt gekopieerd.',
      unanswered: 'De dienst reageert niet. Probeer het opnieuw.',
      home: 'Verder naar toolgate',
    },
    errors: {
      authentication_required:
        'Log in met het uitgenodigde adres, of registreer u ermee, en open de link opnieuw.',
      invitation_for_another_address:
        'Deze uitnodiging is naar een ander adres gestuurd. Log daarmee in.',
      already_member: 'U bent al lid van deze organisatie.',
      organization_suspended: 'Deze organisatie is geblokkeerd. Probeer het later opnieuw.',
      limit_reached:
        'U of de organisatie heeft een limiet bereikt. Vraag het aan de persoon die u heeft uitgenodigd.',
      token_invalid: 'Deze link is verlopen of al gebruikt. Vraag een nieuwe aan.',
      weak_password: 'Kies 12 tot 128 tekens die moeilijk te raden zijn, zoals meerdere woorden.',
      authentication_error: 'De code is onjuist, of deze inlogpoging is verlopen.',
      rate_limited: 'Te veel pogingen. Wacht even en probeer het dan opnieuw.',
      invalid_email: 'Dit is geen e-mailadres.',
      reauthentication_required: 'U bent hiervoor te lang geleden ingelogd. Log opnieuw in.',
    },
    verify: {
      title: 'Bevestig uw e-mailadres',
      body: 'Klik op de knop om uw adres te bevestigen. Daarna kunt u inloggen.',
      action: 'E-mailadres bevestigen',
      done: 'Uw e-mailadres is bevestigd. U kunt nu inloggen.',
    },
    reset: {
      title: 'Stel een nieuw wachtwoord in',
      body: 'U wordt op alle apparaten uitgelogd.',
      password: 'Nieuw wachtwoord',
      show: 'Wachtwoord tonen',
      rule: 'Minstens 12 tekens, moeilijk te raden.',
      action: 'Nieuw wachtwoord opslaan',
      done: 'Uw nieuwe wachtwoord is ingesteld. U kunt er nu mee inloggen.',
    },
    email_confirm: {
      title: 'Bevestig uw nieuwe e-mailadres',
      body: 'Klik op de knop om dit e-mailadres voor uw account te gebruiken.',
      action: 'E-mailadres bevestigen',
      done: 'Uw account gebruikt nu dit e-mailadres.',
    },
    email_undo: {
      title: 'Maak de wijziging van uw e-mailadres ongedaan',
      body: 'Uw account krijgt zijn vorige e-mailadres terug en u wordt op alle apparaten uitgelogd.',
      action: 'Wijziging ongedaan maken',
      done: 'Uw account heeft zijn vorige e-mailadres terug. Stel een nieuw wachtwoord in als u de wijziging niet zelf hebt gedaan.',
    },
    invite: {
      title: 'Lid worden van een organisatie',
      body: 'Druk op de knop om lid te worden van deze organisatie.',
      organization: 'Organisatie',
      invited_by: 'Uitgenodigd door',
      email: 'Uw e-mailadres',
      action: 'Lid worden',
      done: 'U bent nu lid van de organisatie.',
    },
    second_factor: {
      title: 'Tweede stap',
      body: 'Voer de code van uw authenticator-app of een van uw herstelcodes in.',
      code: 'Code',
      action: 'Inloggen',
      passkey: 'Passkey gebruiken',
      passkey_failed:
        'De passkey is niet geaccepteerd. Probeer het nog een keer of begin opnieuw met inloggen.',
      done: 'U bent ingelogd.',
    },
    sign_in_email: {
      title: 'Uw e-mailadres',
      body: 'Uw account heeft nog geen e-mailadres. Voer uw e-mailadres in, dan sturen we er een link naartoe. Er verandert niets totdat u de link opent.',
      email: 'E-mailadres',
      action: 'Link versturen',
      skip: 'Verder zonder adres',
      done: 'Open de link in de e-mail die we hebben gestuurd om uw adres te bevestigen.',
    },
    sign_in_refused: {
      title: 'U bent niet ingelogd',
      denied: 'Het inloggen is bij de andere dienst geannuleerd.',
      expired:
        'Deze inlogpoging duurde te lang of is in een andere browser begonnen. Probeer het opnieuw.',
      provider_unavailable: 'De andere dienst reageert niet. Probeer het later opnieuw.',
      linked_elsewhere: 'Deze inlogmethode hoort al bij een ander account.',
      link_in_session:
        'Deze inlogmethode is nog niet aan uw account gekoppeld. Log op een andere manier in en voeg de methode toe in uw account.',
      rate_limited:
        'Er zijn te veel inlogpogingen vanaf uw netwerk gedaan. Wacht even en probeer het dan opnieuw.',
      sso_required: 'Uw organisatie vereist dat u inlogt via haar eigen identiteitsprovider.',
      outside_domain:
        'Uw organisatie heeft het domein van uw e-mailadres niet bevestigd. Neem contact op met de beheerders.',
      account_not_linked:
        'Uw account bestaat al en kan niet met deze aanmelding worden geopend. Neem contact op met de beheerders van uw organisatie.',
      not_joined:
        'U kon geen lid worden van de organisatie: die is vol of geblokkeerd, of uw lidmaatschap is beëindigd. Neem contact op met de beheerders.',
      failed: 'Het inloggen is niet gelukt. Probeer het opnieuw of kies een andere manier.',
    },
  },
};
