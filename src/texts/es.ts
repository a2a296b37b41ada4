import type { Texts } from './en.ts';

export const es: Texts = {
  emails: {
    verify: {
      subject: 'Confirme su dirección de correo electrónico',
      greeting: 'Le damos la bienvenida a toolgate.',
      body: 'Confirme que esta dirección de correo electrónico es suya. Después podrá iniciar sesión.',
      action: 'Confirmar la dirección',
      note: 'Este enlace caduca en 24 horas. Si no se ha registrado, puede ignorar este mensaje.',
    },
    already_registered: {
      subject: 'Ya tiene una cuenta',
      greeting: 'Alguien ha intentado registrarse con su dirección de correo electrónico.',
      body: 'Esta dirección ya tiene una cuenta de toolgate. Si ha sido usted, inicie sesión. Si ha olvidado su contraseña, puede restablecerla.',
      note: 'Si no ha sido usted, puede ignorar este mensaje. No se ha cambiado nada.',
    },
    reset: {
      subject: 'Restablezca su contraseña',
      greeting: 'Hemos recibido una solicitud para restablecer su contraseña.',
      body: 'Al establecer una contraseña nueva, se cerrará su sesión en todos los dispositivos. Sus claves de API seguirán funcionando.',
      action: 'Establecer una contraseña nueva',
      note: 'Este enlace caduca en una hora y solo se puede usar una vez. Si no lo ha solicitado, puede ignorar este mensaje. Su contraseña no se ha cambiado.',
    },
    invitation: {
      subject: 'Le han invitado a una organización',
      greeting: 'Ha recibido una invitación para unirse a una organización en toolgate.',
      body: 'Abra la invitación para ver de qué organización se trata y quién le ha invitado. Después podrá unirse con esta dirección de correo electrónico.',
      action: 'Ver la invitación',
      note: 'Este enlace funciona una sola vez y caduca en 7 días. Si no sabe de qué se trata, puede ignorar este mensaje.',
    },
    password_changed: {
      subject: 'Se ha cambiado su contraseña',
      greeting: 'Se ha cambiado la contraseña de su cuenta de toolgate.',
      body: 'Se ha cerrado su sesión en todos los demás dispositivos. Sus claves de API siguen funcionando.',
      note: 'Si no ha sido usted, restablezca su contraseña ahora y revoque las claves de API que no reconozca.',
    },
    email_confirm: {
      subject: 'Confirme su nueva dirección de correo electrónico',
      greeting: 'Ha solicitado usar esta dirección de correo electrónico en su cuenta de toolgate.',
      body: 'Confirme que es suya. Hasta entonces no cambiará nada.',
      action: 'Confirmar la dirección',
      note: 'Este enlace caduca en 24 horas. Si no lo ha solicitado, puede ignorar este mensaje.',
    },
    email_changed: {
      subject: 'Se ha cambiado su dirección de correo electrónico',
      greeting: 'Se ha cambiado la dirección de correo electrónico de su cuenta de toolgate.',
      body: 'Esta dirección ya no está asociada a su cuenta. Si no ha sido usted, deshaga el cambio.',
      action: 'Deshacer el cambio',
      note: 'Este enlace caduca en 24 horas. Al deshacer el cambio, se cerrará su sesión en todos los dispositivos.',
    },
    email_taken: {
      subject: 'Esta dirección de correo electrónico ya tiene una cuenta',
      greeting:
        'Alguien ha solicitado usar su dirección de correo electrónico en otra cuenta de toolgate.',
      body: 'La dirección ya está asociada a su cuenta, por lo que no se ha cambiado nada.',
      note: 'Si no ha sido usted, puede ignorar este mensaje.',
    },
    sign_in_linked: {
      subject: 'Se ha añadido un método de inicio de sesión',
      greeting: 'Ahora puede iniciar sesión en su cuenta de toolgate con {{provider}}.',
      body: 'Cualquier persona con acceso a la cuenta de {{provider}} vinculada puede ahora iniciar sesión en su cuenta.',
      note: 'Si no ha sido usted, restablezca su contraseña y elimine {{provider}} de sus métodos de inicio de sesión.',
    },
    second_factor_changed: {
      subject: 'Se ha cambiado su autenticación en dos pasos',
      greeting:
        'Se ha cambiado la configuración de la autenticación en dos pasos de su cuenta de toolgate.',
      body: 'Se ha añadido o eliminado una aplicación de autenticación o una clave de acceso, o se han creado nuevos códigos de recuperación.',
      note: 'Si no ha sido usted, restablezca su contraseña y revise después la autenticación en dos pasos y sus sesiones.',
    },
    recovery_code_used: {
      subject: 'Se ha usado un código de recuperación',
      greeting:
        'Alguien ha iniciado sesión en su cuenta de toolgate con un código de recuperación.',
      body: 'Cada código funciona una sola vez. Cree códigos nuevos antes de usar el último.',
      note: 'Si no ha sido usted, restablezca su contraseña ahora y después cree nuevos códigos de recuperación.',
    },
    account_deleted: {
      subject: 'Se ha eliminado su cuenta',
      greeting: 'Se ha eliminado su cuenta de toolgate.',
      body: 'También se ha eliminado todo su contenido, incluidas sus claves de API y su configuración. Esto no se puede deshacer.',
      note: 'Si no ha sido usted, otra persona ha podido iniciar sesión en su cuenta. Si usa la misma contraseña en otros sitios, cámbiela en ellos.',
    },
    added_to_organization: {
      subject: 'Se le ha añadido a una organización',
      greeting: 'Una organización ha añadido su cuenta de toolgate a sus miembros.',
      body: 'Administra el dominio de su dirección de correo. Su espacio, sus claves de API y sus ajustes siguen siendo suyos.',
      note: 'Puede abandonar la organización en cualquier momento. Si no sabe de qué se trata, pregunte a sus administradores.',
    },
    frame: {
      fallback: 'Si el botón no funciona, abra este enlace:',
      footer: 'Este mensaje se ha enviado automáticamente desde {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Esta página necesita JavaScript.',
      wait: 'Un momento.',
      incomplete: 'Este enlace está incompleto. Compruebe que ha copiado el enlace completo.',
      unanswered: 'El servicio no respondió. Inténtelo de nuevo.',
      home: 'Continuar a toolgate',
    },
    errors: {
      authentication_required:
        'Inicie sesión con la dirección invitada, o regístrese con ella, y vuelva a abrir el enlace.',
      invitation_for_another_address:
        'Esta invitación se envió a otra dirección. Inicie sesión con esa dirección.',
      already_member: 'Ya es miembro de esta organización.',
      organization_suspended: 'Esta organización está suspendida. Inténtelo más tarde.',
      limit_reached:
        'Usted o la organización han alcanzado un límite. Consulte a la persona que le invitó.',
      token_invalid: 'Este enlace ha caducado o ya se ha usado. Solicite uno nuevo.',
      weak_password:
        'Elija de 12 a 128 caracteres difíciles de adivinar, por ejemplo varias palabras.',
      authentication_error: 'El código es incorrecto o este inicio de sesión ha caducado.',
      rate_limited: 'Demasiados intentos. Espere un rato e inténtelo de nuevo.',
      invalid_email: 'Esto no es una dirección de correo electrónico.',
      reauthentication_required:
        'Su inicio de sesión es demasiado antiguo para esto. Inicie sesión de nuevo.',
    },
    verify: {
      title: 'Confirme su dirección de correo electrónico',
      body: 'Pulse el botón para confirmar su dirección. Después podrá iniciar sesión.',
      action: 'Confirmar la dirección',
      done: 'Su dirección está confirmada. Ya puede iniciar sesión.',
    },
    reset: {
      title: 'Establezca una contraseña nueva',
      body: 'Se cerrará su sesión en todos los dispositivos.',
      password: 'Contraseña nueva',
      show: 'Mostrar la contraseña',
      rule: 'Al menos 12 caracteres, difíciles de adivinar.',
      action: 'Guardar la contraseña nueva',
      done: 'Su contraseña nueva está guardada. Ya puede iniciar sesión con ella.',
    },
    email_confirm: {
      title: 'Confirme su nueva dirección de correo electrónico',
      body: 'Pulse el botón para usar esta dirección de correo electrónico en su cuenta.',
      action: 'Confirmar la dirección',
      done: 'Su cuenta usa ahora esta dirección de correo electrónico.',
    },
    email_undo: {
      title: 'Deshaga el cambio de su dirección de correo electrónico',
      body: 'Su cuenta recuperará su dirección anterior y se cerrará su sesión en todos los dispositivos.',
      action: 'Deshacer el cambio',
      done: 'Su cuenta vuelve a tener su dirección anterior. Si usted no hizo el cambio, establezca una contraseña nueva.',
    },
    invite: {
      title: 'Unirse a una organización',
      body: 'Pulse el botón para convertirse en miembro de esta organización.',
      organization: 'Organización',
      invited_by: 'Invitación de',
      email: 'Su dirección de correo electrónico',
      action: 'Unirse',
      done: 'Ahora es miembro de la organización.',
    },
    second_factor: {
      title: 'Segundo paso',
      body: 'Introduzca el código de su aplicación de autenticación o uno de sus códigos de recuperación.',
      code: 'Código',
      action: 'Iniciar sesión',
      passkey: 'Usar una clave de acceso',
      passkey_failed:
        'No se aceptó la clave de acceso. Inténtelo de nuevo o vuelva a empezar el inicio de sesión.',
      done: 'Ha iniciado sesión.',
    },
    sign_in_email: {
      title: 'Su dirección de correo electrónico',
      body: 'Su cuenta aún no tiene dirección de correo electrónico. Introduzca la suya y le enviaremos un enlace. No cambiará nada hasta que lo abra.',
      email: 'Dirección de correo electrónico',
      action: 'Enviar el enlace',
      skip: 'Continuar sin dirección',
      done: 'Revise su bandeja de entrada y abra el enlace que le hemos enviado para confirmar su dirección.',
    },
    sign_in_refused: {
      title: 'No ha iniciado sesión',
      denied: 'El inicio de sesión se canceló en el otro servicio.',
      expired:
        'Este inicio de sesión tardó demasiado o se empezó en otro navegador. Inténtelo de nuevo.',
      provider_unavailable: 'El otro servicio no respondió. Inténtelo más tarde.',
      linked_elsewhere: 'Este método de inicio de sesión ya está vinculado a otra cuenta.',
      link_in_session:
        'Este método de inicio de sesión aún no está vinculado a su cuenta. Inicie sesión de otra forma y añádalo en su cuenta.',
      rate_limited:
        'Se han hecho demasiados intentos de inicio de sesión desde su red. Espere un rato e inténtelo de nuevo.',
      sso_required: 'Su organización exige que inicie sesión con su propio proveedor de identidad.',
      outside_domain:
        'Su organización no ha confirmado el dominio de su dirección de correo. Pregunte a sus administradores.',
      account_not_linked:
        'Su cuenta ya existe y este inicio de sesión no puede abrirla. Pregunte a los administradores de su organización.',
      not_joined:
        'No ha podido unirse a la organización: está completa o suspendida, o su pertenencia a ella ha terminado. Pregunte a sus administradores.',
      failed: 'No se pudo iniciar sesión. Inténtelo de nuevo o elija otra forma de iniciar sesión.',
    },
  },
};
