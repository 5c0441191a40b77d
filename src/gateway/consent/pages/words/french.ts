import type { PageWords } from './english.ts'

export const FRENCH: PageWords = {
  heading: 'SMS de {group}',
  sender: 'De {account}',
  country: 'Pays',
  number: 'Numéro de portable',
  consent: 'Je souhaite recevoir les SMS de {group} envoyés par {account}.',
  terms:
    'Des frais de SMS et de données peuvent s’appliquer. Vous pouvez arrêter les SMS à tout moment : répondez {stop} à l’un d’eux. Répondez {help} pour obtenir de l’aide.',
  join: 'Recevoir les SMS',
  asked: 'Regardez votre téléphone',
  askedReply:
    'Nous avons envoyé un SMS au {number}. Répondez-y OUI dans les deux jours et vous recevrez les SMS.',
  askedCode: 'Nous avons envoyé un code au {number}. Saisissez-le ici et vous recevrez les SMS.',
  noText:
    'Aucun SMS reçu ? Vérifiez le numéro. Un numéro qui reçoit déjà ces SMS ou qui a envoyé {stop} n’en reçoit pas ici. Après {stop}, envoyez d’abord {start}.',
  code: 'Code reçu par SMS',
  confirm: 'Confirmer',
  again: 'Recommencer',
  joined: 'Vous recevez désormais les SMS',
  joinedText:
    'Le {number} reçoit les SMS de {group} envoyés par {account}. Répondez {stop} à l’un d’eux pour les arrêter.',
  leave: 'Arrêter les SMS',
  leaveText:
    'Vous ne voulez plus recevoir de SMS de {account} au {number} ? Appuyez sur le bouton pour les arrêter.',
  unnamed: 'cet expéditeur',
  leaveAll: 'Arrêter tous les SMS',
  leaveGroup: 'Arrêter seulement les SMS de {group}',
  left: 'Les SMS sont arrêtés',
  leftAll:
    'Le {number} ne reçoit plus de SMS de {account}. Pour en recevoir à nouveau, répondez {start} à l’un d’eux.',
  leftGroup: 'Le {number} ne reçoit plus les SMS de {group} envoyés par {account}.',
  missing: 'Cette page n’existe pas',
  missingText: 'L’adresse est incorrecte, ou l’expéditeur a fermé la page.',
  failed: 'Cela n’a pas fonctionné',
  mustAgree: 'Cochez la case pour recevoir les SMS.',
  badNumber:
    'Ce n’est pas un numéro de téléphone. Choisissez le pays et écrivez tous les chiffres.',
  changed: 'Le texte de cette page a changé. Relisez-le, puis cochez la case.',
  otherSite: 'Le formulaire a été envoyé depuis un autre site. Utilisez celui de cette page.',
  destination: 'Nous n’envoyons pas de SMS à ce numéro.',
  tooMany: 'Trop de SMS ont été demandés. Réessayez plus tard.',
  tooSoon: 'Nous venons d’envoyer un SMS à ce numéro. Attendez une minute, puis réessayez.',
  signedIn:
    'Vous êtes connecté à la console dans ce navigateur. Seule la personne qui a reçu le SMS arrête les SMS par ce lien. Désinscrivez plutôt le contact dans la console.',
  noLine: 'Nous ne pouvons pas envoyer de SMS pour le moment. Réessayez plus tard.',
  wrongCode: 'Ce code est incorrect ou a expiré. Regardez à nouveau le SMS, ou recommencez.',
  other: 'Le serveur ne peut pas répondre pour le moment. Réessayez plus tard.',
}
