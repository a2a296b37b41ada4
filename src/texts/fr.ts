import type { Texts } from './en.ts';

export const fr: Texts = {
  emails: {
    verify: {
      subject: 'Confirmez votre adresse e-mail',
      greeting: 'Bienvenue chez toolgate.',
      body: 'Confirmez que cette adresse est la vôtre, et vous pourrez vous connecter à votre compte.',
      action: 'Confirmer cette adresse',
      note: 'Le lien est valable 24 heures. Si vous ne vous êtes pas inscrit, ignorez cet e-mail.',
    },
    already_registered: {
      subject: 'Vous avez déjà un compte',
      greeting: 'Quelqu’un a essayé de s’inscrire avec cette adresse.',
      body: 'Un compte toolgate existe déjà pour cette adresse. Si c’était vous, connectez-vous plutôt.',
      note: 'Si ce n’était pas vous, ignorez cet e-mail. Rien n’a changé.',
    },
    reset: {
      subject: 'Définissez un nouveau mot de passe',
      greeting: 'Quelqu’un a demandé la réinitialisation de votre mot de passe.',
      body: 'Choisissez un nouveau mot de passe. Toutes les sessions de votre compte seront déconnectées.',
      action: 'Choisir un nouveau mot de passe',
      note: 'Le lien est valable une heure et une seule fois. Si vous ne l’avez pas demandé, ignorez cet e-mail.',
    },
    password_changed: {
      subject: 'Votre mot de passe a été modifié',
      greeting: 'Le mot de passe de votre compte a été modifié.',
      body: 'Toutes les autres sessions de votre compte ont été déconnectées. Vos clés d’API restent valables.',
      note: 'Si ce n’était pas vous, réinitialisez votre mot de passe maintenant et révoquez les clés que vous ne connaissez pas.',
    },
    email_confirm: {
      subject: 'Confirmez votre nouvelle adresse e-mail',
      greeting: 'Vous avez demandé à utiliser cette adresse pour votre compte.',
      body: 'Confirmez que cette adresse est la vôtre. D’ici là, rien ne change.',
      action: 'Confirmer cette adresse',
      note: 'Le lien est valable 24 heures. Si vous ne l’avez pas demandé, ignorez cet e-mail.',
    },
    email_changed: {
      subject: 'Votre adresse e-mail a été modifiée',
      greeting: 'Votre compte a une nouvelle adresse e-mail.',
      body: 'Cette adresse n’est plus celle de votre compte. Si ce n’était pas vous, annulez la modification.',
      action: 'Annuler la modification',
      note: 'Le lien est valable 24 heures. L’annulation déconnecte toutes les sessions de votre compte.',
    },
    email_taken: {
      subject: 'Un compte existe déjà pour cette adresse',
      greeting: 'Quelqu’un a demandé à utiliser cette adresse pour un autre compte.',
      body: 'Cette adresse est celle de votre compte ; rien n’a donc été modifié.',
      note: 'Si ce n’était pas vous, ignorez cet e-mail.',
    },
    sign_in_linked: {
      subject: 'Une nouvelle façon de vous connecter',
      greeting: 'Vous pouvez désormais vous connecter avec {{provider}}.',
      body: 'Quelqu’un qui a prouvé détenir cette adresse auprès de {{provider}} s’est connecté à votre compte.',
      note: 'Si ce n’était pas vous, réinitialisez votre mot de passe et supprimez ce moyen de connexion.',
    },
    second_factor_changed: {
      subject: 'Votre second facteur a été modifié',
      greeting: 'Le second facteur de votre compte a été modifié.',
      body: 'Un second facteur ou une clé d’accès a été ajouté ou supprimé, ou de nouveaux codes de secours ont été créés.',
      note: 'Si ce n’était pas vous, réinitialisez votre mot de passe et vérifiez vos sessions.',
    },
    recovery_code_used: {
      subject: 'Un code de secours a été utilisé',
      greeting: 'Quelqu’un s’est connecté à votre compte avec un code de secours.',
      body: 'Ce code ne sert plus. Créez-en de nouveaux avant d’utiliser le dernier.',
      note: 'Si ce n’était pas vous, réinitialisez votre mot de passe maintenant, puis créez de nouveaux codes de secours.',
    },
    account_deleted: {
      subject: 'Votre compte a été supprimé',
      greeting: 'Votre compte toolgate a été supprimé.',
      body: 'Tout ce qu’il contenait a disparu : clés API, sessions et réglages. Il ne peut pas être restauré.',
      note: 'Si ce n’était pas vous, quelqu’un a pu se connecter à votre place : changez votre mot de passe partout où vous l’utilisez.',
    },
    frame: {
      fallback: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
      footer: 'Cet e-mail a été envoyé automatiquement par {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Cette page nécessite JavaScript.',
      wait: 'Un instant.',
      incomplete: 'Ce lien est incomplet. Ouvrez-le de nouveau en entier.',
      unanswered: 'Le service n’a pas répondu. Réessayez.',
      home: 'Continuer vers toolgate',
    },
    errors: {
      token_invalid: 'Ce lien a expiré ou a déjà été utilisé. Demandez-en un nouveau.',
      weak_password:
        'Choisissez de 12 à 128 caractères difficiles à deviner, par exemple plusieurs mots.',
      authentication_error: 'Le code est incorrect, ou cette connexion a expiré.',
      rate_limited: 'Trop de tentatives. Patientez un peu, puis réessayez.',
      invalid_email: 'Ce n’est pas une adresse e-mail.',
      reauthentication_required: 'Votre connexion est trop ancienne pour cela. Reconnectez-vous.',
    },
    verify: {
      title: 'Confirmez votre adresse e-mail',
      body: 'Appuyez sur le bouton, et vous pourrez vous connecter à votre compte.',
      action: 'Confirmer cette adresse',
      done: 'Votre adresse est confirmée. Vous pouvez maintenant vous connecter.',
    },
    reset: {
      title: 'Définissez un nouveau mot de passe',
      body: 'Toutes les sessions de votre compte seront déconnectées.',
      password: 'Nouveau mot de passe',
      show: 'Afficher le mot de passe',
      rule: 'Au moins 12 caractères, difficiles à deviner.',
      action: 'Enregistrer le nouveau mot de passe',
      done: 'Votre nouveau mot de passe est enregistré. Vous pouvez maintenant l’utiliser pour vous connecter.',
    },
    email_confirm: {
      title: 'Confirmez votre nouvelle adresse e-mail',
      body: 'Appuyez sur le bouton pour utiliser désormais cette adresse pour votre compte.',
      action: 'Confirmer cette adresse',
      done: 'Votre compte a maintenant sa nouvelle adresse.',
    },
    email_undo: {
      title: 'Annulez la modification de votre adresse e-mail',
      body: 'Votre compte retrouve son ancienne adresse, et toutes ses sessions sont déconnectées.',
      action: 'Annuler la modification',
      done: 'Votre compte a retrouvé son ancienne adresse. Si la modification ne venait pas de vous, définissez un nouveau mot de passe.',
    },
    second_factor: {
      title: 'Deuxième étape',
      body: 'Saisissez le code de votre application d’authentification ou l’un de vos codes de secours.',
      code: 'Code',
      action: 'Se connecter',
      passkey: 'Utiliser une clé d’accès',
      passkey_failed:
        'La clé d’accès n’a pas été acceptée. Réessayez, ou recommencez la connexion.',
      done: 'Vous êtes connecté.',
    },
    sign_in_email: {
      title: 'Votre adresse e-mail',
      body: 'Votre compte n’a pas encore d’adresse e-mail. Saisissez la vôtre et nous y enverrons un lien ; rien ne change avant que vous ne l’ouvriez.',
      email: 'Adresse e-mail',
      action: 'Envoyer le lien',
      skip: 'Continuer sans adresse',
      done: 'Consultez votre boîte de réception : le lien que nous avons envoyé confirme l’adresse.',
    },
    sign_in_refused: {
      title: 'Vous n’êtes pas connecté',
      denied: 'La connexion a été annulée auprès de l’autre service.',
      expired:
        'Cette connexion a pris trop de temps ou a été commencée dans un autre navigateur. Réessayez.',
      provider_unavailable: 'L’autre service n’a pas répondu. Réessayez plus tard.',
      linked_elsewhere: 'Ce moyen de connexion appartient déjà à un autre compte.',
      link_in_session:
        'Votre compte n’accepte pas encore ce moyen de connexion. Connectez-vous autrement, puis ajoutez-le dans votre compte.',
      rate_limited:
        'Trop de connexions ont été commencées depuis votre réseau. Patientez un peu, puis réessayez.',
      sso_required:
        'Votre organisation exige que vous vous connectiez auprès de son propre fournisseur d’identité.',
      failed:
        'La connexion n’a pas abouti. Réessayez, ou choisissez un autre moyen de vous connecter.',
    },
  },
};
