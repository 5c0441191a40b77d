import type { PageWords } from './english.ts'

export const SPANISH: PageWords = {
  heading: 'SMS de {group}',
  sender: 'De {account}',
  country: 'País',
  number: 'Número de móvil',
  consent: 'Quiero recibir SMS de {group} de {account}.',
  terms:
    'Su operador puede cobrar los SMS y los datos. Puede terminar los SMS en cualquier momento: responda {stop} a uno de ellos. Responda {help} para obtener ayuda.',
  join: 'Recibir SMS',
  asked: 'Mire su teléfono',
  askedReply:
    'Hemos enviado un SMS a {number}. Respóndalo con SI en un plazo de dos días y recibirá los SMS.',
  askedCode: 'Hemos enviado un código a {number}. Escríbalo aquí y recibirá los SMS.',
  noText:
    '¿No ha llegado ningún SMS? Compruebe el número. Un número que ya recibe estos SMS o que envió {stop} no recibe aquí ninguno. Después de {stop}, envíe primero {start}.',
  code: 'Código del SMS',
  confirm: 'Confirmar',
  again: 'Empezar de nuevo',
  joined: 'Ahora recibe los SMS',
  joinedText:
    '{number} recibe SMS de {group} de {account}. Responda {stop} a uno de ellos para terminarlos.',
  leave: 'Darse de baja de los SMS',
  leaveText:
    '¿No quiere recibir más SMS de {account} en {number}? Pulse el botón para terminarlos.',
  unnamed: 'este remitente',
  leaveAll: 'No recibir más SMS',
  leaveGroup: 'Terminar solo los SMS de {group}',
  left: 'Se ha dado de baja',
  leftAll:
    '{number} no recibe más SMS de {account}. Para volver a recibirlos, responda {start} a uno de ellos.',
  leftGroup: '{number} no recibe más SMS de {group} de {account}.',
  missing: 'Esta página no existe',
  missingText: 'La dirección es incorrecta o el remitente ha cerrado la página.',
  failed: 'No ha funcionado',
  mustAgree: 'Marque la casilla para recibir SMS.',
  badNumber: 'Esto no es un número de teléfono. Elija el país y escriba todos los dígitos.',
  changed: 'El texto de esta página ha cambiado. Léalo de nuevo y después marque la casilla.',
  otherSite: 'El formulario se envió desde otro sitio. Use el formulario de esta página.',
  destination: 'No enviamos SMS a este número.',
  tooMany: 'Se han pedido demasiados SMS. Inténtelo más tarde.',
  tooSoon: 'Acabamos de enviar un SMS a este número. Espere un minuto e inténtelo de nuevo.',
  signedIn:
    'Ha iniciado sesión en la consola con este navegador. Solo la persona que recibió el SMS se da de baja con este enlace. Dé de baja el contacto en la consola.',
  noLine: 'En este momento no podemos enviar ningún SMS. Inténtelo más tarde.',
  wrongCode: 'Este código es incorrecto o ha caducado. Mire el SMS otra vez o empiece de nuevo.',
  other: 'El servidor no puede responder en este momento. Inténtelo más tarde.',
}
