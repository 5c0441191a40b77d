import type { MailWords } from './english.ts'

export const FRENCH_MAILS: MailWords = {
  hello: 'Bonjour,',
  more: 'Et {count} de plus.',
  thanks: 'Merci,',
  team: 'L’équipe de {APP_NAME}',
  verifySubject: 'Confirmez votre adresse e-mail pour {APP_NAME}',
  verifyThanks: 'Merci d’avoir rejoint {APP_NAME}.',
  verifyClick: 'Cliquez sur le bouton pour confirmer votre adresse e-mail.',
  verifyButton: 'Confirmer',
  verifyIgnore: 'Si vous ne venez pas de vous inscrire, ignorez cet e-mail.',
  resetSubject: 'Nouveau mot de passe pour {APP_NAME}',
  resetClick: 'Cliquez sur le bouton pour choisir un nouveau mot de passe.',
  resetButton: 'Choisir un mot de passe',
  resetIgnore: 'Si vous n’avez pas demandé de nouveau mot de passe, ignorez cet e-mail.',
  changeSubject: 'Confirmez votre nouvelle adresse e-mail pour {APP_NAME}',
  changeClick: 'Cliquez sur le bouton pour confirmer votre nouvelle adresse e-mail.',
  changeButton: 'Confirmer l’adresse',
  changeIgnore: 'Si vous n’avez pas demandé à changer d’adresse e-mail, ignorez cet e-mail.',
  otpSubject: 'Mot de passe à usage unique pour {APP_NAME}',
  otpIs: 'Votre mot de passe à usage unique :',
  otpIgnore: 'Si vous n’avez pas demandé de mot de passe à usage unique, ignorez cet e-mail.',
  signInSubject: 'Connexion depuis un nouvel endroit',
  signInSeen: 'Une connexion à votre compte {APP_NAME} a eu lieu depuis un nouvel endroit :',
  signInChange:
    'Si ce n’était pas vous, changez tout de suite votre mot de passe pour {APP_NAME} : cela coupe l’accès depuis tous les autres endroits.',
  signInIgnore: 'Si c’était vous, vous n’avez rien à faire.',
  inviteSubject: '{name} vous invite',
  inviteText: '{name} vous invite à répondre aux SMS en équipe.',
  inviteButton: 'Rejoindre l’équipe',
  inviteLimits: {
    one: 'Le lien est valable {count} jour et pour une seule personne. Si vous ne connaissez pas {name}, ignorez cet e-mail.',
    many: 'Le lien est valable {count} de jours et pour une seule personne. Si vous ne connaissez pas {name}, ignorez cet e-mail.',
    other:
      'Le lien est valable {count} jours et pour une seule personne. Si vous ne connaissez pas {name}, ignorez cet e-mail.',
  },
  waitsSubject: {
    one: '{name} attend une réponse',
    many: '{count} de conversations attendent une réponse',
    other: '{count} conversations attendent une réponse',
  },
  waits: {
    one: 'Un SMS attend votre réponse ({zone}) :',
    many: '{count} de conversations attendent votre réponse ({zone}) :',
    other: '{count} conversations attendent votre réponse ({zone}) :',
  },
  waitsSince: '{link}, depuis le {time}',
  waitsButton: 'Vos conversations',
  waitsChosen: 'Vous avez choisi ces e-mails sur la page {link}.',
  account: 'Compte',
  isSilent: {
    one: '{name} ne répond plus',
    many: '{count} d’appareils ne répondent plus',
    other: '{count} appareils ne répondent plus',
  },
  isFailing: {
    one: '{name} est en échec',
    many: '{count} d’appareils sont en échec',
    other: '{count} appareils sont en échec',
  },
  isLow: {
    one: '{name} : batterie faible',
    many: '{count} d’appareils : batterie faible',
    other: '{count} appareils : batterie faible',
  },
  isFaulty: {
    one: '{name} ne peut pas envoyer',
    many: '{count} d’appareils ne peuvent pas envoyer',
    other: '{count} appareils ne peuvent pas envoyer',
  },
  isSpent: {
    one: '{name} : budget du mois atteint',
    many: '{count} d’appareils : budget du mois atteint',
    other: '{count} appareils : budget du mois atteint',
  },
  isBack: {
    one: '{name} répond à nouveau',
    many: '{count} d’appareils répondent à nouveau',
    other: '{count} appareils répondent à nouveau',
  },
  isRefused: {
    one: '{name} : utilisation refusée depuis une autre adresse',
    many: '{count} d’appareils : utilisation refusée depuis une autre adresse',
    other: '{count} appareils : utilisation refusée depuis une autre adresse',
  },
  isStopped: {
    one: '{name} n’envoie plus de codes vers {country}',
    many: '{count} d’appareils n’envoient plus de codes vers {country}',
    other: '{count} appareils n’envoient plus de codes vers {country}',
  },
  silent: '{name} ne répond plus depuis le {time}.',
  failing:
    '{name} est en échec depuis le {time} : au moins 5 SMS de suite ont échoué. D’autres appareils prennent le relais, s’il y en a. Vérifiez la SIM, le crédit et l’autorisation d’envoyer.',
  low: 'Il reste {percent} % de batterie à {name}, qui n’est pas en charge. Branchez l’appareil.',
  faulty:
    '{name} n’envoie pas de SMS. {fault}. Vérifiez ses paramètres et votre compte chez l’opérateur : identifiants, crédit, expéditeurs.',
  spent:
    '{name} a atteint son budget mensuel de {budget} : il ne suffisait plus pour un SMS. Les SMS passent par d’autres lignes ou attendent le mois suivant. Pour envoyer davantage, augmentez le budget.',
  back: '{name} répond à nouveau depuis le {time} ; il ne répondait plus depuis le {from}.',
  stopped:
    '{name} n’envoie plus de codes aux numéros qui commencent par {country} : trop peu des derniers codes ont été saisis, ce qui peut venir d’une fraude. Si tout va bien, retirez ce pays de la liste des pays bloqués.',
  refused:
    '{name} a été utilisé depuis {address}, que sa liste d’adresses exclut : l’utilisation a été refusée.',
  refusedDevice: 'Si ce n’était pas vous, supprimez l’appareil et ajoutez à nouveau le téléphone.',
  refusedMember: 'Si ce n’était pas vous, terminez les sessions de ce membre ou retirez-le.',
  refusedKey: 'Si ce n’était pas vous, créez un nouveau secret.',
  refusedElse:
    'Si c’était vous, ajoutez l’adresse à la liste. Les autres tentatives sont dans votre journal d’audit ; un e-mail est envoyé au plus une fois par heure.',
  waiting: {
    one: '{count} message en attente',
    many: '{count} de messages en attente',
    other: '{count} messages en attente',
  },
  moved: {
    one: '{count} confié à d’autres appareils',
    many: '{count} confiés à d’autres appareils',
    other: '{count} confiés à d’autres appareils',
  },
  noneWaiting: 'Aucun message en attente.',
  look: 'Vérifiez qu’il est allumé, qu’il a du réseau et que son application ou son agent fonctionne.',
  devicesButton: 'Vos appareils',
  someDevice: 'Un appareil',
  someKey: 'Une clé',
  backupSubject: '[{app}] La sauvegarde planifiée a échoué',
  backupText: 'La sauvegarde planifiée de {app} a échoué :',
  backupPage: 'La page « Sauvegardes » de la console montre celles qui existent.',
}
