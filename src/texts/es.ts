import type { Texts } from './en.ts';

export const es: Texts = {
  emails: {
    verify: {
      subject: 'Confirme su dirección de correo electrónico',
      greeting: 'Le damos la bienvenida a toolgate.',
      body: 'Confirme que esta dirección es suya y su cuenta estará lista para iniciar sesión.',
      action: 'Confirmar esta dirección',
      note: 'El enlace es válido durante 24 horas. Si usted no se registró, ignore este mensaje.',
    },
    already_registered: {
      subject: 'Usted ya tiene una cuenta',
      greeting: 'Alguien intentó registrarse con esta dirección.',
      body: 'Esta dirección ya tiene una cuenta de toolgate. Si fue usted, inicie sesión.',
      note: 'Si no fue usted, ignore este mensaje. No ha cambiado nada.',
    },
    reset: {
      subject: 'Establezca una contraseña nueva',
      greeting: 'Alguien pidió restablecer su contraseña.',
      body: 'Elija una contraseña nueva. Se cerrarán todas las sesiones de su cuenta.',
      action: 'Elegir una contraseña nueva',
      note: 'El enlace es válido durante una hora y una sola vez. Si usted no lo pidió, ignore este mensaje.',
    },
    password_changed: {
      subject: 'Se ha cambiado su contraseña',
      greeting: 'Se ha cambiado la contraseña de su cuenta.',
      body: 'Se cerraron todas las demás sesiones de su cuenta. Sus claves de API siguen funcionando.',
      note: 'Si no fue usted, restablezca su contraseña ahora y revoque las claves que no reconozca.',
    },
    email_confirm: {
      subject: 'Confirme su nueva dirección de correo electrónico',
      greeting: 'Usted pidió usar esta dirección para su cuenta.',
      body: 'Confirme que es suya. Hasta entonces no cambia nada.',
      action: 'Confirmar esta dirección',
      note: 'El enlace es válido durante 24 horas. Si usted no lo pidió, ignore este mensaje.',
    },
    email_changed: {
      subject: 'Se ha cambiado su dirección de correo electrónico',
      greeting: 'Su cuenta tiene una nueva dirección de correo electrónico.',
      body: 'Esta dirección ya no es la de su cuenta. Si no fue usted, deshaga el cambio.',
      action: 'Deshacer el cambio',
      note: 'El enlace es válido durante 24 horas. Al deshacer el cambio se cierran todas las sesiones de su cuenta.',
    },
    email_taken: {
      subject: 'Esta dirección ya tiene una cuenta',
      greeting: 'Alguien pidió usar esta dirección para otra cuenta.',
      body: 'Esta dirección es la de su cuenta, así que no se ha cambiado nada.',
      note: 'Si no fue usted, ignore este mensaje.',
    },
    sign_in_linked: {
      subject: 'Una nueva forma de iniciar sesión',
      greeting: 'Ahora puede iniciar sesión con {{provider}}.',
      body: 'Alguien que demostró poseer esta dirección en {{provider}} inició sesión en su cuenta.',
      note: 'Si no fue usted, restablezca su contraseña y elimine esta forma de iniciar sesión.',
    },
    second_factor_changed: {
      subject: 'Se ha cambiado su segundo factor',
      greeting: 'Se ha cambiado el segundo factor de su cuenta.',
      body: 'Se añadió o eliminó un segundo factor o una llave de acceso, o se crearon nuevos códigos de recuperación.',
      note: 'Si no fue usted, restablezca su contraseña y revise sus sesiones.',
    },
    recovery_code_used: {
      subject: 'Se ha usado un código de recuperación',
      greeting: 'Alguien ha iniciado sesión en su cuenta con un código de recuperación.',
      body: 'Ese código ya no sirve. Cree otros nuevos antes de gastar el último.',
      note: 'Si no fue usted, restablezca ahora su contraseña y después cree nuevos códigos de recuperación.',
    },
    account_deleted: {
      subject: 'Su cuenta se ha eliminado',
      greeting: 'Su cuenta de toolgate se ha eliminado.',
      body: 'Todo lo que contenía ha desaparecido: claves de API, sesiones y ajustes. No se puede recuperar.',
      note: 'Si no fue usted, alguien pudo iniciar sesión en su nombre: cambie su contraseña en los demás sitios donde la use.',
    },
    frame: {
      fallback: 'Si el botón no funciona, abra esta dirección:',
      footer: 'Este mensaje fue enviado automáticamente por {{host}}.',
    },
  },
  pages: {
    frame: {
      script: 'Esta página necesita JavaScript.',
      wait: 'Un momento.',
      incomplete: 'Este enlace está incompleto. Ábralo de nuevo por entero.',
      unanswered: 'El servicio no respondió. Inténtelo de nuevo.',
      home: 'Continuar a toolgate',
    },
    errors: {
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
      body: 'Pulse el botón y su cuenta estará lista para iniciar sesión.',
      action: 'Confirmar esta dirección',
      done: 'Su dirección está confirmada. Ya puede iniciar sesión.',
    },
    reset: {
      title: 'Establezca una contraseña nueva',
      body: 'Se cerrarán todas las sesiones de su cuenta.',
      password: 'Contraseña nueva',
      show: 'Mostrar la contraseña',
      rule: 'Al menos 12 caracteres, difíciles de adivinar.',
      action: 'Guardar la contraseña nueva',
      done: 'Su contraseña nueva está guardada. Ya puede iniciar sesión con ella.',
    },
    email_confirm: {
      title: 'Confirme su nueva dirección de correo electrónico',
      body: 'Pulse el botón para usar esta dirección en su cuenta a partir de ahora.',
      action: 'Confirmar esta dirección',
      done: 'Su cuenta ya tiene la nueva dirección.',
    },
    email_undo: {
      title: 'Deshaga el cambio de su dirección de correo electrónico',
      body: 'Su cuenta recupera su dirección anterior y se cierran todas sus sesiones.',
      action: 'Deshacer el cambio',
      done: 'Su cuenta vuelve a tener su dirección anterior. Si usted no hizo el cambio, establezca una contraseña nueva.',
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
      body: 'Su cuenta aún no tiene dirección de correo electrónico. Introduzca la suya y le enviaremos un enlace; nada cambia antes de que lo abra.',
      email: 'Dirección de correo electrónico',
      action: 'Enviar el enlace',
      skip: 'Continuar sin dirección',
      done: 'Mire su buzón: el enlace que enviamos confirma la dirección.',
    },
    sign_in_refused: {
      title: 'No ha iniciado sesión',
      denied: 'El inicio de sesión se canceló en el otro servicio.',
      expired:
        'Este inicio de sesión tardó demasiado o se empezó en otro navegador. Inténtelo de nuevo.',
      provider_unavailable: 'El otro servicio no respondió. Inténtelo más tarde.',
      linked_elsewhere: 'Esta forma de iniciar sesión ya pertenece a otra cuenta.',
      link_in_session:
        'Su cuenta aún no admite esta forma de iniciar sesión. Inicie sesión de otra forma y añádala allí.',
      rate_limited:
        'Se han empezado demasiados inicios de sesión desde su red. Espere un rato e inténtelo de nuevo.',
      sso_required: 'Su organización exige que inicie sesión en su propio proveedor de identidad.',
      failed: 'No se pudo iniciar sesión. Inténtelo de nuevo o elija otra forma de iniciar sesión.',
    },
  },
};
