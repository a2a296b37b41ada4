import type { Texts } from './en.ts';

export const pt: Texts = {
  emails: {
    verify: {
      subject: 'Confirme seu endereço de e-mail',
      greeting: 'Boas-vindas ao toolgate.',
      body: 'Confirme que este endereço de e-mail é seu. Depois, você poderá entrar na sua conta.',
      action: 'Confirmar endereço de e-mail',
      note: 'Este link expira em 24 horas. Se você não se cadastrou, pode ignorar este e-mail.',
    },
    already_registered: {
      subject: 'Você já tem uma conta',
      greeting: 'Alguém tentou se cadastrar com o seu endereço de e-mail.',
      body: 'Este endereço já tem uma conta toolgate. Se foi você, basta entrar na conta. Se esqueceu a senha, você pode redefini-la.',
      note: 'Se não foi você, pode ignorar este e-mail. Nada foi alterado.',
    },
    reset: {
      subject: 'Redefina sua senha',
      greeting: 'Recebemos uma solicitação para redefinir sua senha.',
      body: 'Ao definir uma nova senha, você será desconectado de todos os dispositivos. Suas chaves de API continuarão funcionando.',
      action: 'Definir uma nova senha',
      note: 'Este link expira em uma hora e só pode ser usado uma vez. Se você não o solicitou, pode ignorar este e-mail. Sua senha não foi alterada.',
    },
    invitation: {
      subject: 'Você recebeu um convite para uma organização',
      greeting: 'Você foi convidado a participar de uma organização no toolgate.',
      body: 'Abra o convite para ver qual é a organização e quem convidou você. Depois, você poderá participar com este endereço de e-mail.',
      action: 'Ver o convite',
      note: 'Este link funciona uma única vez e expira em 7 dias. Se você não sabe do que se trata, pode ignorar este e-mail.',
    },
    password_changed: {
      subject: 'Sua senha foi alterada',
      greeting: 'A senha da sua conta toolgate foi alterada.',
      body: 'Você foi desconectado de todos os outros dispositivos. Suas chaves de API continuam funcionando.',
      note: 'Se não foi você, redefina sua senha agora e revogue as chaves de API que não reconhece.',
    },
    email_confirm: {
      subject: 'Confirme seu novo endereço de e-mail',
      greeting: 'Você pediu para usar este endereço de e-mail na sua conta toolgate.',
      body: 'Confirme que ele é seu. Até lá, nada muda.',
      action: 'Confirmar endereço de e-mail',
      note: 'Este link expira em 24 horas. Se você não pediu isso, pode ignorar este e-mail.',
    },
    email_changed: {
      subject: 'Seu endereço de e-mail foi alterado',
      greeting: 'O endereço de e-mail da sua conta toolgate foi alterado.',
      body: 'Este endereço não está mais associado à sua conta. Se não foi você, desfaça a alteração.',
      action: 'Desfazer a alteração',
      note: 'Este link expira em 24 horas. Ao desfazer a alteração, você será desconectado de todos os dispositivos.',
    },
    email_taken: {
      subject: 'Este endereço de e-mail já tem uma conta',
      greeting: 'Alguém pediu para usar o seu endereço de e-mail em outra conta toolgate.',
      body: 'O endereço já está associado à sua conta, por isso nada foi alterado.',
      note: 'Se não foi você, pode ignorar este e-mail.',
    },
    sign_in_linked: {
      subject: 'Novo método de acesso adicionado',
      greeting: 'Agora você pode entrar na sua conta toolgate com {{provider}}.',
      body: 'Qualquer pessoa com acesso à conta {{provider}} vinculada pode agora entrar na sua conta.',
      note: 'Se não foi você, redefina sua senha e remova {{provider}} dos seus métodos de acesso.',
    },
    second_factor_changed: {
      subject: 'Sua autenticação de dois fatores foi alterada',
      greeting:
        'As configurações de autenticação de dois fatores da sua conta toolgate foram alteradas.',
      body: 'Um aplicativo autenticador ou uma chave de acesso foi adicionado ou removido, ou novos códigos de recuperação foram criados.',
      note: 'Se não foi você, redefina sua senha e depois verifique as configurações de autenticação de dois fatores e as suas sessões.',
    },
    recovery_code_used: {
      subject: 'Um código de recuperação foi usado',
      greeting: 'Alguém entrou na sua conta toolgate com um código de recuperação.',
      body: 'Cada código funciona apenas uma vez. Crie novos códigos antes de usar o último.',
      note: 'Se não foi você, redefina sua senha agora e depois crie novos códigos de recuperação.',
    },
    account_deleted: {
      subject: 'Sua conta foi excluída',
      greeting: 'Sua conta toolgate foi excluída.',
      body: 'Todo o conteúdo dela também foi excluído, incluindo suas chaves de API e configurações. Isso não pode ser desfeito.',
      note: 'Se não foi você, outra pessoa conseguiu entrar na sua conta. Se você usa a mesma senha em outros serviços, altere-a neles.',
    },
    added_to_organization: {
      subject: 'Você foi adicionado a uma organização',
      greeting: 'Uma organização adicionou sua conta toolgate aos membros dela.',
      body: 'Ela administra o domínio do seu endereço de e-mail. Seu espaço, suas chaves de API e suas configurações continuam sendo seus.',
      note: 'Você pode sair da organização a qualquer momento. Se não sabe do que se trata, pergunte aos administradores dela.',
    },
    frame: {
      fallback: 'Se o botão não funcionar, abra este link:',
      footer: 'Este e-mail foi enviado automaticamente por {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Esta página precisa de JavaScript.',
      wait: 'Um momento.',
      incomplete: 'Este link está incompleto. Verifique se você copiou o link inteiro.',
      unanswered: 'O serviço não respondeu. Tente novamente.',
      home: 'Continuar para o toolgate',
    },
    errors: {
      authentication_required:
        'Entre com o endereço convidado, ou cadastre-se com ele, e abra o link de novo.',
      invitation_for_another_address:
        'Este convite foi enviado para outro endereço. Entre com aquele endereço.',
      already_member: 'Você já é membro desta organização.',
      organization_suspended: 'Esta organização está suspensa. Tente de novo mais tarde.',
      limit_reached: 'Você ou a organização atingiu um limite. Fale com quem convidou você.',
      token_invalid: 'Este link expirou ou já foi usado. Peça um novo.',
      weak_password:
        'Escolha de 12 a 128 caracteres difíceis de adivinhar, por exemplo várias palavras.',
      authentication_error: 'O código está errado ou este login expirou.',
      rate_limited: 'Muitas tentativas. Espere um pouco e tente novamente.',
      invalid_email: 'Isto não é um endereço de e-mail.',
      reauthentication_required: 'Faz muito tempo que você entrou na conta. Entre novamente.',
    },
    verify: {
      title: 'Confirme seu endereço de e-mail',
      body: 'Pressione o botão para confirmar seu endereço. Depois, você poderá entrar na sua conta.',
      action: 'Confirmar endereço de e-mail',
      done: 'Seu endereço de e-mail está confirmado. Agora você pode entrar na sua conta.',
    },
    reset: {
      title: 'Defina uma nova senha',
      body: 'Você será desconectado de todos os dispositivos.',
      password: 'Nova senha',
      show: 'Mostrar a senha',
      rule: 'Pelo menos 12 caracteres, difíceis de adivinhar.',
      action: 'Salvar a nova senha',
      done: 'Sua nova senha está definida. Agora você pode usá-la para entrar.',
    },
    email_confirm: {
      title: 'Confirme seu novo endereço de e-mail',
      body: 'Pressione o botão para usar este endereço de e-mail na sua conta.',
      action: 'Confirmar endereço de e-mail',
      done: 'Sua conta agora usa este endereço de e-mail.',
    },
    email_undo: {
      title: 'Desfaça a alteração do seu endereço de e-mail',
      body: 'Sua conta recuperará o endereço anterior, e você será desconectado de todos os dispositivos.',
      action: 'Desfazer a alteração',
      done: 'Sua conta voltou a ter o endereço anterior. Se não foi você que fez a alteração, defina uma nova senha.',
    },
    invite: {
      title: 'Participar de uma organização',
      body: 'Pressione o botão para se tornar membro desta organização.',
      organization: 'Organização',
      invited_by: 'Convite de',
      email: 'Seu endereço de e-mail',
      action: 'Participar',
      done: 'Agora você é membro da organização.',
    },
    second_factor: {
      title: 'Segunda etapa',
      body: 'Digite o código do seu aplicativo autenticador ou um dos seus códigos de recuperação.',
      code: 'Código',
      action: 'Entrar',
      passkey: 'Usar uma chave de acesso',
      passkey_failed: 'A chave de acesso não foi aceita. Tente novamente ou recomece o login.',
      done: 'Você entrou na sua conta.',
    },
    sign_in_email: {
      title: 'Seu endereço de e-mail',
      body: 'Sua conta ainda não tem endereço de e-mail. Digite o seu, e enviaremos um link para ele. Nada muda até você abrir o link.',
      email: 'Endereço de e-mail',
      action: 'Enviar o link',
      skip: 'Continuar sem endereço',
      done: 'Verifique sua caixa de entrada e abra o link que enviamos para confirmar o endereço.',
    },
    sign_in_refused: {
      title: 'Você não entrou na conta',
      denied: 'O login foi cancelado no outro serviço.',
      expired: 'Este login demorou demais ou foi iniciado em outro navegador. Tente novamente.',
      provider_unavailable: 'O outro serviço não respondeu. Tente mais tarde.',
      linked_elsewhere: 'Este método de acesso já está vinculado a outra conta.',
      link_in_session:
        'Este método de acesso ainda não está vinculado à sua conta. Entre de outra forma e adicione-o na sua conta.',
      rate_limited:
        'Muitos logins foram iniciados a partir da sua rede. Espere um pouco e tente novamente.',
      sso_required: 'Sua organização exige que você entre com o provedor de identidade dela.',
      outside_domain:
        'Sua organização não confirmou o domínio do seu endereço de e-mail. Fale com os administradores.',
      account_not_linked:
        'Você já tem uma conta, mas não pode entrar nela desta forma. Fale com os administradores da sua organização.',
      not_joined:
        'Não foi possível entrar na organização: está cheia ou suspensa, ou a sua participação terminou. Fale com os administradores.',
      failed: 'Não foi possível entrar. Tente novamente ou escolha outra forma de entrar.',
    },
  },
};
