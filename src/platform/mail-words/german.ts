import type { MailWords } from './english.ts'

export const GERMAN_MAILS: MailWords = {
  hello: 'Guten Tag,',
  more: 'Und {count} weitere.',
  thanks: 'Vielen Dank',
  team: 'Ihr Team von {APP_NAME}',
  verifySubject: 'Bestätigen Sie Ihre E-Mail-Adresse für {APP_NAME}',
  verifyThanks: 'Schön, dass Sie bei {APP_NAME} dabei sind.',
  verifyClick: 'Klicken Sie auf die Schaltfläche, um Ihre E-Mail-Adresse zu bestätigen.',
  verifyButton: 'Bestätigen',
  verifyIgnore:
    'Wenn Sie sich nicht vor Kurzem angemeldet haben, brauchen Sie diese E-Mail nicht zu beachten.',
  resetSubject: 'Neues Passwort für {APP_NAME}',
  resetClick: 'Klicken Sie auf die Schaltfläche, um ein neues Passwort zu wählen.',
  resetButton: 'Neues Passwort wählen',
  resetIgnore:
    'Wenn Sie kein neues Passwort angefordert haben, brauchen Sie diese E-Mail nicht zu beachten.',
  changeSubject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {APP_NAME}',
  changeClick: 'Klicken Sie auf die Schaltfläche, um Ihre neue E-Mail-Adresse zu bestätigen.',
  changeButton: 'Neue Adresse bestätigen',
  changeIgnore:
    'Wenn Sie Ihre E-Mail-Adresse nicht ändern wollten, brauchen Sie diese E-Mail nicht zu beachten.',
  otpSubject: 'Einmalpasswort für {APP_NAME}',
  otpIs: 'Ihr Einmalpasswort lautet:',
  otpIgnore:
    'Wenn Sie kein Einmalpasswort angefordert haben, brauchen Sie diese E-Mail nicht zu beachten.',
  signInSubject: 'Anmeldung von einem neuen Ort',
  signInSeen: 'Bei Ihrem Konto von {APP_NAME} hat sich jemand von einem neuen Ort aus angemeldet:',
  signInChange:
    'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort für {APP_NAME}: Das beendet den Zugang von allen anderen Orten.',
  signInIgnore: 'Wenn Sie es waren, brauchen Sie nichts zu tun.',
  inviteSubject: '{name} lädt Sie ein',
  inviteText: '{name} lädt Sie ein, SMS gemeinsam zu beantworten.',
  inviteButton: 'Dem Team beitreten',
  inviteLimits: {
    one: 'Der Link gilt einen Tag und für eine Person. Wenn Sie {name} nicht kennen, brauchen Sie diese E-Mail nicht zu beachten.',
    other:
      'Der Link gilt {count} Tage und für eine Person. Wenn Sie {name} nicht kennen, brauchen Sie diese E-Mail nicht zu beachten.',
  },
  waitsSubject: {
    one: '{name} wartet auf eine Antwort',
    other: '{count} Unterhaltungen warten auf eine Antwort',
  },
  waits: {
    one: 'Eine SMS wartet auf Ihre Antwort ({zone}):',
    other: '{count} Unterhaltungen warten auf Ihre Antwort ({zone}):',
  },
  waitsSince: '{link}, seit {time}',
  waitsButton: 'Ihre Unterhaltungen',
  waitsChosen: 'Sie haben diese E-Mails auf der Seite {link} gewählt.',
  account: 'Konto',
  isSilent: { one: '{name} meldet sich nicht', other: '{count} Geräte melden sich nicht' },
  isFailing: { one: '{name} schlägt fehl', other: '{count} Geräte schlagen fehl' },
  isLow: { one: 'Akku von {name} fast leer', other: 'Akkus von {count} Geräten fast leer' },
  isFaulty: { one: '{name} kann nicht senden', other: '{count} Geräte können nicht senden' },
  isSpent: {
    one: 'Monatsbudget von {name} erreicht',
    other: 'Monatsbudget von {count} Geräten erreicht',
  },
  isBack: { one: '{name} ist wieder da', other: '{count} Geräte sind wieder da' },
  isRefused: {
    one: '{name} an einer anderen Adresse abgewiesen',
    other: '{count} Geräte an einer anderen Adresse abgewiesen',
  },
  isStopped: {
    one: '{name} sendet keine Codes nach {country}',
    other: '{count} Geräte senden keine Codes nach {country}',
  },
  silent: '{name} meldet sich seit {time} nicht.',
  failing:
    '{name} schlägt seit {time} fehl: Mindestens 5 SMS nacheinander wurden nicht gesendet. Andere Geräte übernehmen, wenn es welche gibt. Prüfen Sie SIM, Guthaben und die Erlaubnis zu senden.',
  low: '{name} hat noch {percent} % Akku und lädt nicht. Schließen Sie das Gerät an.',
  faulty:
    '{name} sendet keine SMS. {fault}. Prüfen Sie die Einstellungen und Ihr Konto dort: Zugangsdaten, Guthaben, Absender.',
  spent:
    '{name} hat das Monatsbudget von {budget} erreicht: Eine SMS passte nicht mehr hinein. SMS nehmen andere Leitungen oder warten auf den nächsten Monat. Wenn Sie mehr senden wollen, erhöhen Sie das Budget.',
  back: '{name} ist seit {time} wieder da und hatte sich ab {from} nicht gemeldet.',
  stopped:
    '{name} sendet keine Codes mehr an Nummern, die mit {country} beginnen: Zu wenige der letzten wurden eingegeben, so wie wenn jemand für Geld Codes senden lässt. Wenn alles in Ordnung ist, nehmen Sie das Land dort aus den angehaltenen heraus.',
  refused:
    '{name} wurde an {address} verwendet, was die Liste der Adressen ausschließt: Das wurde abgewiesen.',
  refusedDevice:
    'Wenn Sie das nicht waren, löschen Sie das Gerät, und koppeln Sie das Telefon neu.',
  refusedMember:
    'Wenn Sie das nicht waren, beenden Sie die Sitzungen dieses Mitglieds, oder entfernen Sie es.',
  refusedKey: 'Wenn Sie das nicht waren, erstellen Sie dafür einen neuen Geheimschlüssel.',
  refusedElse:
    'Wenn doch, nehmen Sie die Adresse in die Liste auf. Weitere Versuche stehen in Ihrem Audit-Protokoll; höchstens einmal in der Stunde kommt eine E-Mail.',
  waiting: {
    one: '1 Nachricht wartet darauf',
    other: '{count} Nachrichten warten darauf',
  },
  moved: {
    one: '1 wurde an andere Geräte übergeben',
    other: '{count} wurden an andere Geräte übergeben',
  },
  noneWaiting: 'Keine Nachricht wartet darauf.',
  look: 'Sehen Sie nach, ob das Gerät eingeschaltet ist, ein Netz hat und seine App oder sein Agent läuft.',
  devicesButton: 'Ihre Geräte',
  someDevice: 'Ein Gerät',
  someKey: 'Ein Schlüssel',
  backupSubject: '[{app}] Die geplante Sicherung ist fehlgeschlagen',
  backupText: 'Die geplante Sicherung von {app} ist fehlgeschlagen:',
  backupPage: 'Was da ist, zeigt in der Konsole die Seite Sicherungen.',
}
