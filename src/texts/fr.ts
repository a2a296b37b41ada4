import type { Texts } from './en.ts';

export const fr: Texts = {
  emails: {
    verify: {
      subject: 'Confirmez votre adresse e-mail',
      greeting: 'Bienvenue sur toolgate.',
      body: 'Confirmez que cette adresse e-mail est bien la vôtre. Vous pourrez ensuite vous connecter.',
      action: 'Confirmer l’adresse e-mail',
      note: 'Ce lien expire dans 24 heures. Si vous n’avez pas créé de compte, vous pouvez ignorer cet e-mail.',
    },
    already_registered: {
      subject: 'Vous avez déjà un compte',
      greeting: 'Quelqu’un a essayé de s’inscrire avec votre adresse e-mail.',
      body: 'Un compte toolgate existe déjà pour cette adresse. Si c’était vous, connectez-vous. Si vous avez oublié votre mot de passe, vous pouvez le réinitialiser.',
      note: 'Si ce n’était pas vous, vous pouvez ignorer cet e-mail. Rien n’a été modifié.',
    },
    reset: {
      subject: 'Réinitialisez votre mot de passe',
      greeting: 'Nous avons reçu une demande de réinitialisation de votre mot de passe.',
      body: 'Lorsque vous définirez un nouveau mot de passe, vous serez déconnecté de tous vos appareils. Vos clés API continueront de fonctionner.',
      action: 'Définir un nouveau mot de passe',
      note: 'Ce lien expire dans une heure et ne fonctionne qu’une seule fois. Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer cet e-mail. Votre mot de passe n’a pas été modifié.',
    },
    invitation: {
      subject: 'Vous êtes invité à rejoindre une organisation',
      greeting: 'Vous avez été invité à rejoindre une organisation sur toolgate.',
      body: 'Ouvrez l’invitation pour voir de quelle organisation il s’agit et qui vous a invité. Vous pourrez ensuite la rejoindre avec cette adresse e-mail.',
      action: 'Voir l’invitation',
      note: 'Ce lien ne fonctionne qu’une fois et expire dans 7 jours. Si vous ne savez pas de quoi il s’agit, vous pouvez ignorer cet e-mail.',
    },
    password_changed: {
      subject: 'Votre mot de passe a été modifié',
      greeting: 'Le mot de passe de votre compte toolgate a été modifié.',
      body: 'Vous avez été déconnecté de tous vos autres appareils. Vos clés API continuent de fonctionner.',
      note: 'Si ce n’était pas vous, réinitialisez immédiatement votre mot de passe et révoquez les clés API que vous ne reconnaissez pas.',
    },
    email_confirm: {
      subject: 'Confirmez votre nouvelle adresse e-mail',
      greeting: 'Vous avez demandé à utiliser cette adresse e-mail pour votre compte toolgate.',
      body: 'Confirmez que cette adresse est bien la vôtre. D’ici là, rien ne change.',
      action: 'Confirmer l’adresse e-mail',
      note: 'Ce lien expire dans 24 heures. Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer cet e-mail.',
    },
    email_changed: {
      subject: 'Votre adresse e-mail a été modifiée',
      greeting: 'L’adresse e-mail de votre compte toolgate a été modifiée.',
      body: 'Cette adresse n’est plus associée à votre compte. Si ce n’était pas vous, annulez la modification.',
      action: 'Annuler la modification',
      note: 'Ce lien expire dans 24 heures. Si vous annulez la modification, vous serez déconnecté de tous vos appareils.',
    },
    email_taken: {
      subject: 'Un compte existe déjà pour cette adresse e-mail',
      greeting:
        'Quelqu’un a demandé à utiliser votre adresse e-mail pour un autre compte toolgate.',
      body: 'Cette adresse est déjà associée à votre compte ; rien n’a donc été modifié.',
      note: 'Si ce n’était pas vous, vous pouvez ignorer cet e-mail.',
    },
    sign_in_linked: {
      subject: 'Nouvelle méthode de connexion ajoutée',
      greeting: 'Vous pouvez désormais vous connecter à votre compte toolgate avec {{provider}}.',
      body: 'Toute personne ayant accès au compte {{provider}} associé peut désormais se connecter à votre compte.',
      note: 'Si ce n’était pas vous, réinitialisez votre mot de passe et supprimez {{provider}} de vos méthodes de connexion.',
    },
    second_factor_changed: {
      subject: 'Votre authentification à deux facteurs a été modifiée',
      greeting:
        'Les paramètres d’authentification à deux facteurs de votre compte toolgate ont été modifiés.',
      body: 'Une application d’authentification ou une clé d’accès a été ajoutée ou supprimée, ou de nouveaux codes de secours ont été créés.',
      note: 'Si ce n’était pas vous, réinitialisez votre mot de passe, puis vérifiez vos paramètres d’authentification à deux facteurs et vos sessions.',
    },
    recovery_code_used: {
      subject: 'Un code de secours a été utilisé',
      greeting: 'Quelqu’un s’est connecté à votre compte toolgate avec un code de secours.',
      body: 'Chaque code ne fonctionne qu’une seule fois. Créez de nouveaux codes avant d’avoir utilisé le dernier.',
      note: 'Si ce n’était pas vous, réinitialisez immédiatement votre mot de passe, puis créez de nouveaux codes de secours.',
    },
    account_deleted: {
      subject: 'Votre compte a été supprimé',
      greeting: 'Votre compte toolgate a été supprimé.',
      body: 'Tout son contenu a également été supprimé, y compris vos clés API et vos paramètres. Cette suppression est définitive.',
      note: 'Si ce n’était pas vous, quelqu’un d’autre a pu se connecter à votre compte. Si vous utilisez le même mot de passe ailleurs, changez-le également.',
    },
    added_to_organization: {
      subject: 'Vous avez été ajouté à une organisation',
      greeting: 'Une organisation a ajouté votre compte toolgate à ses membres.',
      body: 'Elle gère le domaine de votre adresse e-mail. Votre espace, vos clés d’API et vos paramètres restent à vous.',
      note: 'Vous pouvez quitter l’organisation à tout moment. Si vous ne savez pas de quoi il s’agit, demandez à ses administrateurs.',
    },
    frame: {
      fallback: 'Si le bouton ne fonctionne pas, ouvrez ce lien :',
      footer: 'Cet e-mail a été envoyé automatiquement par {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Cette page nécessite JavaScript.',
      wait: 'Un instant.',
      incomplete: 'Ce lien est incomplet. Vérifiez que vous avez copié le lien entier.',
      unanswered: 'Le service n’a pas répondu. Réessayez.',
      home: 'Continuer vers toolgate',
    },
    errors: {
      authentication_required:
        'Connectez-vous avec l’adresse invitée, ou inscrivez-vous avec elle, puis ouvrez de nouveau le lien.',
      invitation_for_another_address:
        'Cette invitation a été envoyée à une autre adresse. Connectez-vous avec celle-ci.',
      already_member: 'Vous êtes déjà membre de cette organisation.',
      organization_suspended: 'Cette organisation est suspendue. Réessayez plus tard.',
      limit_reached:
        'Vous ou l’organisation avez atteint une limite. Adressez-vous à la personne qui vous a invité.',
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
      body: 'Cliquez sur le bouton pour confirmer votre adresse. Vous pourrez ensuite vous connecter.',
      action: 'Confirmer l’adresse e-mail',
      done: 'Votre adresse e-mail est confirmée. Vous pouvez maintenant vous connecter.',
    },
    reset: {
      title: 'Définissez un nouveau mot de passe',
      body: 'Vous serez déconnecté de tous vos appareils.',
      password: 'Nouveau mot de passe',
      show: 'Afficher le mot de passe',
      rule: 'Au moins 12 caractères, difficiles à deviner.',
      action: 'Enregistrer le nouveau mot de passe',
      done: 'Votre nouveau mot de passe est enregistré. Vous pouvez maintenant l’utiliser pour vous connecter.',
    },
    email_confirm: {
      title: 'Confirmez votre nouvelle adresse e-mail',
      body: 'Cliquez sur le bouton pour utiliser cette adresse e-mail pour votre compte.',
      action: 'Confirmer l’adresse e-mail',
      done: 'Votre compte utilise désormais cette adresse e-mail.',
    },
    email_undo: {
      title: 'Annulez la modification de votre adresse e-mail',
      body: 'Votre compte retrouvera son ancienne adresse e-mail, et vous serez déconnecté de tous vos appareils.',
      action: 'Annuler la modification',
      done: 'Votre compte a retrouvé son ancienne adresse e-mail. Si la modification ne venait pas de vous, définissez un nouveau mot de passe.',
    },
    invite: {
      title: 'Rejoindre une organisation',
      body: 'Appuyez sur le bouton pour devenir membre de cette organisation.',
      organization: 'Organisation',
      invited_by: 'Invitation envoyée par',
      email: 'Votre adresse e-mail',
      action: 'Rejoindre',
      done: 'Vous êtes maintenant membre de l’organisation.',
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
      body: 'Votre compte n’a pas encore d’adresse e-mail. Saisissez la vôtre et nous y enverrons un lien. Rien ne change tant que vous ne l’avez pas ouvert.',
      email: 'Adresse e-mail',
      action: 'Envoyer le lien',
      skip: 'Continuer sans adresse',
      done: 'Consultez votre boîte de réception et ouvrez le lien que nous avons envoyé pour confirmer votre adresse.',
    },
    sign_in_refused: {
      title: 'Vous n’êtes pas connecté',
      denied: 'La connexion a été annulée sur l’autre service.',
      expired:
        'Cette connexion a pris trop de temps ou a été commencée dans un autre navigateur. Réessayez.',
      provider_unavailable: 'L’autre service n’a pas répondu. Réessayez plus tard.',
      linked_elsewhere: 'Cette méthode de connexion est déjà associée à un autre compte.',
      link_in_session:
        'Cette méthode de connexion n’est pas encore associée à votre compte. Connectez-vous autrement, puis ajoutez-la dans votre compte.',
      rate_limited:
        'Trop de connexions ont été commencées depuis votre réseau. Patientez un peu, puis réessayez.',
      sso_required:
        'Votre organisation exige que vous vous connectiez avec son propre fournisseur d’identité.',
      outside_domain:
        'Votre organisation n’a pas confirmé le domaine de votre adresse e-mail. Contactez ses administrateurs.',
      account_not_linked:
        'Votre compte existe déjà et cette connexion ne peut pas l’ouvrir. Contactez les administrateurs de votre organisation.',
      not_joined:
        'Vous n’avez pas pu rejoindre l’organisation : elle est complète ou suspendue, ou vous n’en êtes plus membre. Contactez ses administrateurs.',
      failed: 'La connexion a échoué. Réessayez, ou choisissez une autre méthode de connexion.',
    },
  },
};
