import type { Texts } from './en.ts';

export const pt: Texts = {
  emails: {
    verify: {
      subject: 'Confirme o seu endereço de e-mail',
      greeting: 'Boas-vindas à toolgate.',
      body: 'Confirme que este endereço é seu e a sua conta estará pronta para iniciar sessão.',
      action: 'Confirmar este endereço',
      note: 'O link é válido por 24 horas. Se não foi você que se registrou, ignore esta mensagem.',
    },
    already_registered: {
      subject: 'Você já tem uma conta',
      greeting: 'Alguém tentou se registrar com este endereço.',
      body: 'Este endereço já tem uma conta toolgate. Se foi você, basta iniciar sessão.',
      note: 'Se não foi você, ignore esta mensagem. Nada mudou.',
    },
    reset: {
      subject: 'Defina uma nova senha',
      greeting: 'Alguém pediu para redefinir a sua senha.',
      body: 'Escolha uma nova senha. Todas as sessões da sua conta serão encerradas.',
      action: 'Escolher uma nova senha',
      note: 'O link é válido por uma hora e uma única vez. Se você não o pediu, ignore esta mensagem.',
    },
    password_changed: {
      subject: 'A sua senha foi alterada',
      greeting: 'A senha da sua conta foi alterada.',
      body: 'Todas as outras sessões da sua conta foram encerradas. As suas chaves de API continuam válidas.',
      note: 'Se não foi você, redefina a sua senha agora e revogue as chaves que não reconhece.',
    },
    email_confirm: {
      subject: 'Confirme o seu novo endereço de e-mail',
      greeting: 'Você pediu para usar este endereço na sua conta.',
      body: 'Confirme que ele é seu. Até lá, nada muda.',
      action: 'Confirmar este endereço',
      note: 'O link é válido por 24 horas. Se você não o pediu, ignore esta mensagem.',
    },
    email_changed: {
      subject: 'O seu endereço de e-mail foi alterado',
      greeting: 'A sua conta tem um novo endereço de e-mail.',
      body: 'Este endereço já não é o da sua conta. Se não foi você, desfaça a alteração.',
      action: 'Desfazer a alteração',
      note: 'O link é válido por 24 horas. Desfazer encerra todas as sessões da sua conta.',
    },
    email_taken: {
      subject: 'Este endereço já tem uma conta',
      greeting: 'Alguém pediu para usar este endereço em outra conta.',
      body: 'Este endereço é o da sua conta, por isso nada foi alterado.',
      note: 'Se não foi você, ignore esta mensagem.',
    },
    sign_in_linked: {
      subject: 'Uma nova forma de iniciar sessão',
      greeting: 'Agora você pode iniciar sessão com {{provider}}.',
      body: 'Alguém que comprovou este endereço em {{provider}} iniciou sessão na sua conta.',
      note: 'Se não foi você, redefina a sua senha e remova esta forma de iniciar sessão.',
    },
    second_factor_changed: {
      subject: 'O seu segundo fator foi alterado',
      greeting: 'O segundo fator da sua conta foi alterado.',
      body: 'Um segundo fator ou uma chave de acesso foi adicionado ou removido, ou foram criados novos códigos de recuperação.',
      note: 'Se não foi você, redefina a sua senha e verifique as suas sessões.',
    },
    recovery_code_used: {
      subject: 'Foi usado um código de recuperação',
      greeting: 'Alguém entrou na sua conta com um código de recuperação.',
      body: 'Este código já não serve. Crie novos antes de gastar o último.',
      note: 'Se não foi você, redefina agora a sua senha e depois crie novos códigos de recuperação.',
    },
    account_deleted: {
      subject: 'A sua conta foi excluída',
      greeting: 'A sua conta toolgate foi excluída.',
      body: 'Tudo o que continha desapareceu: chaves de API, sessões e configurações. Não pode ser recuperada.',
      note: 'Se não foi você, alguém conseguiu entrar em seu nome: altere a sua senha em todos os outros lugares onde a usa.',
    },
    frame: {
      fallback: 'Se o botão não funcionar, abra este endereço:',
      footer: 'Esta mensagem foi enviada automaticamente por {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Esta página precisa de JavaScript.',
      wait: 'Um momento.',
      incomplete: 'Este link está incompleto. Abra-o de novo por inteiro.',
      unanswered: 'O serviço não respondeu. Tente novamente.',
      home: 'Continuar para a toolgate',
    },
    errors: {
      token_invalid: 'Este link expirou ou já foi usado. Peça um novo.',
      weak_password:
        'Escolha de 12 a 128 caracteres difíceis de adivinhar, por exemplo várias palavras.',
      authentication_error: 'O código está errado, ou este início de sessão expirou.',
      rate_limited: 'Tentativas demais. Espere um pouco e tente novamente.',
      invalid_email: 'Isto não é um endereço de e-mail.',
      reauthentication_required:
        'O seu início de sessão é antigo demais para isto. Inicie sessão novamente.',
    },
    verify: {
      title: 'Confirme o seu endereço de e-mail',
      body: 'Pressione o botão e a sua conta estará pronta para iniciar sessão.',
      action: 'Confirmar este endereço',
      done: 'O seu endereço está confirmado. Agora você pode iniciar sessão.',
    },
    reset: {
      title: 'Defina uma nova senha',
      body: 'Todas as sessões da sua conta serão encerradas.',
      password: 'Nova senha',
      show: 'Mostrar a senha',
      rule: 'Pelo menos 12 caracteres, difíceis de adivinhar.',
      action: 'Salvar a nova senha',
      done: 'A sua nova senha está definida. Agora você pode iniciar sessão com ela.',
    },
    email_confirm: {
      title: 'Confirme o seu novo endereço de e-mail',
      body: 'Pressione o botão para usar este endereço na sua conta a partir de agora.',
      action: 'Confirmar este endereço',
      done: 'A sua conta já tem o novo endereço.',
    },
    email_undo: {
      title: 'Desfaça a alteração do seu endereço de e-mail',
      body: 'A sua conta recupera o endereço anterior e todas as suas sessões são encerradas.',
      action: 'Desfazer a alteração',
      done: 'A sua conta voltou a ter o endereço anterior. Se a alteração não foi sua, defina uma nova senha.',
    },
    second_factor: {
      title: 'Segunda etapa',
      body: 'Digite o código do seu aplicativo autenticador ou um dos seus códigos de recuperação.',
      code: 'Código',
      action: 'Iniciar sessão',
      passkey: 'Usar uma chave de acesso',
      passkey_failed:
        'A chave de acesso não foi aceita. Tente novamente ou recomece o início de sessão.',
      done: 'Você iniciou sessão.',
    },
    sign_in_email: {
      title: 'O seu endereço de e-mail',
      body: 'A sua conta ainda não tem endereço de e-mail. Digite o seu, e enviaremos um link para ele; nada muda antes que você o abra.',
      email: 'Endereço de e-mail',
      action: 'Enviar o link',
      skip: 'Continuar sem endereço',
      done: 'Veja a sua caixa de entrada: o link que enviamos confirma o endereço.',
    },
    sign_in_refused: {
      title: 'Você não iniciou sessão',
      denied: 'O início de sessão foi cancelado no outro serviço.',
      expired:
        'Este início de sessão demorou demais ou foi começado em outro navegador. Tente novamente.',
      provider_unavailable: 'O outro serviço não respondeu. Tente mais tarde.',
      linked_elsewhere: 'Esta forma de iniciar sessão já pertence a outra conta.',
      link_in_session:
        'A sua conta ainda não aceita esta forma de iniciar sessão. Inicie sessão de outra forma e adicione-a na conta.',
      rate_limited:
        'Foram começados inícios de sessão demais a partir da sua rede. Espere um pouco e tente novamente.',
      sso_required:
        'A sua organização exige que você inicie sessão no provedor de identidade dela.',
      failed:
        'Não foi possível iniciar sessão. Tente novamente ou escolha outra forma de iniciar sessão.',
    },
  },
};
