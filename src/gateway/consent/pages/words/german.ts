import type { PageWords } from './english.ts'

export const GERMAN: PageWords = {
  heading: 'SMS von {group}',
  sender: 'Von {account}',
  country: 'Land',
  number: 'Handynummer',
  consent: 'Ich möchte SMS von {group} von {account} erhalten.',
  terms:
    'Es können Kosten für SMS und Daten entstehen. Sie können die SMS jederzeit beenden: Antworten Sie auf eine mit {stop}. Mit {help} erhalten Sie Hilfe.',
  join: 'SMS erhalten',
  asked: 'Sehen Sie auf Ihr Handy',
  askedReply:
    'Wir haben eine SMS an {number} gesendet. Antworten Sie innerhalb von zwei Tagen mit JA, dann erhalten Sie die SMS.',
  askedCode:
    'Wir haben einen Code an {number} gesendet. Geben Sie ihn hier ein, dann erhalten Sie die SMS.',
  noText:
    'Keine SMS erhalten? Prüfen Sie die Nummer. Eine Nummer, die diese SMS schon erhält oder {stop} gesendet hat, erhält hier keine SMS. Nach {stop} senden Sie zuerst {start}.',
  code: 'Code aus der SMS',
  confirm: 'Bestätigen',
  again: 'Neu beginnen',
  joined: 'Sie erhalten nun die SMS',
  joinedText:
    '{number} erhält SMS von {group} von {account}. Antworten Sie auf eine mit {stop}, um sie zu beenden.',
  leave: 'SMS abbestellen',
  leaveText:
    'Möchten Sie unter {number} keine SMS mehr von {account}? Drücken Sie auf den Knopf, um sie zu beenden.',
  unnamed: 'diesem Absender',
  leaveAll: 'Keine SMS mehr erhalten',
  leaveGroup: 'Nur SMS von {group} beenden',
  left: 'Sie sind abgemeldet',
  leftAll:
    '{number} erhält keine SMS mehr von {account}. Um wieder SMS zu erhalten, antworten Sie auf eine frühere SMS mit {start}.',
  leftGroup: '{number} erhält keine SMS von {group} mehr von {account}.',
  missing: 'Diese Seite gibt es nicht',
  missingText: 'Die Adresse ist falsch, oder der Absender hat die Seite geschlossen.',
  failed: 'Das hat nicht geklappt',
  mustAgree: 'Setzen Sie den Haken, um SMS zu erhalten.',
  badNumber: 'Das ist keine Telefonnummer. Wählen Sie das Land, und schreiben Sie alle Ziffern.',
  changed:
    'Der Text dieser Seite hat sich geändert. Lesen Sie ihn noch einmal, und setzen Sie dann den Haken.',
  otherSite:
    'Das Formular kam von einer anderen Seite. Benutzen Sie das Formular auf dieser Seite.',
  destination: 'An diese Nummer senden wir keine SMS.',
  tooMany: 'Es wurden zu viele SMS angefordert. Versuchen Sie es später noch einmal.',
  tooSoon: 'Wir haben gerade eine SMS an diese Nummer gesendet. Warten Sie eine Minute.',
  signedIn:
    'Sie sind in diesem Browser an der Konsole angemeldet. Nur wer die SMS erhalten hat, meldet sich mit diesem Link ab. Melden Sie den Kontakt in der Konsole ab.',
  noLine: 'Im Moment können wir keine SMS senden. Versuchen Sie es später noch einmal.',
  wrongCode:
    'Der Code ist falsch oder abgelaufen. Sehen Sie noch einmal in die SMS, oder beginnen Sie neu.',
  other: 'Der Server kann im Moment nicht antworten. Versuchen Sie es später noch einmal.',
}
