import { fillNames } from '../consent-texts.ts'

/** The words of the public pages in one language. `{account}`, `{group}`: names. */
const ENGLISH = {
  heading: 'Texts of {group}',
  sender: 'From {account}',
  country: 'Country',
  number: 'Mobile number',
  consent: 'I want to get texts of {group} from {account}.',
  terms:
    'Message and data rates may apply. You can end the texts at any time: reply STOP to one of them. Reply HELP for help.',
  join: 'Get texts',
  asked: 'Look at your phone',
  askedReply: 'We texted {number}. Reply YES to that text within two days, and you get the texts.',
  askedCode: 'We texted a code to {number}. Enter it here, and you get the texts.',
  noText:
    'No text arrived? Check the number. A number that gets these texts already, or has texted STOP, gets no text here. After STOP, text START first.',
  code: 'Code from the text',
  confirm: 'Confirm',
  again: 'Begin again',
  joined: 'You now get the texts',
  joinedText:
    '{number} gets texts of {group} from {account}. Reply STOP to one of them to end them.',
  leave: 'End texts',
  leaveText: 'Do you want no more texts from {account} at {number}? Press the button to end them.',
  unnamed: 'this sender',
  leaveAll: 'End all texts',
  leaveGroup: 'End only texts of {group}',
  left: 'The texts are ended',
  leftAll:
    '{number} gets no more texts from {account}. To get them again, reply START to one of them.',
  leftGroup: '{number} gets no more texts of {group} from {account}.',
  missing: 'This page does not exist',
  missingText: 'The address is wrong, or the sender has closed the page.',
  failed: 'That did not work',
  mustAgree: 'Check the box to get texts.',
  badNumber: 'This is no phone number. Choose the country, and write all digits.',
  changed: 'The text of this page has changed. Read it again, then check the box.',
  otherSite: 'The form was sent from another site. Use the form on this page.',
  destination: 'We send no texts to this number.',
  tooMany: 'Too many texts were asked for. Try again later.',
  tooSoon: 'We texted this number just now. Wait a minute, then try again.',
  signedIn:
    'You are signed in to the console in this browser. Only the person who got the text ends texts by this link. Opt the contact out in the console instead.',
  noLine: 'We cannot send a text at the moment. Try again later.',
  wrongCode: 'This code is wrong, or it has expired. Look at the text again, or begin again.',
  other: 'The server cannot answer at the moment. Try again later.',
}
export type PageWord = keyof typeof ENGLISH

const GERMAN: Readonly<Record<PageWord, string>> = {
  heading: 'SMS von {group}',
  sender: 'Von {account}',
  country: 'Land',
  number: 'Handynummer',
  consent: 'Ich möchte SMS von {group} von {account} erhalten.',
  terms:
    'Es können Kosten für SMS und Daten entstehen. Sie können die SMS jederzeit beenden: Antworten Sie auf eine mit STOP. Mit HELP erhalten Sie Hilfe.',
  join: 'SMS erhalten',
  asked: 'Sehen Sie auf Ihr Handy',
  askedReply:
    'Wir haben eine SMS an {number} gesendet. Antworten Sie innerhalb von zwei Tagen mit JA, dann erhalten Sie die SMS.',
  askedCode:
    'Wir haben einen Code an {number} gesendet. Geben Sie ihn hier ein, dann erhalten Sie die SMS.',
  noText:
    'Keine SMS erhalten? Prüfen Sie die Nummer. Eine Nummer, die diese SMS schon erhält oder STOP gesendet hat, erhält hier keine SMS. Nach STOP senden Sie zuerst START.',
  code: 'Code aus der SMS',
  confirm: 'Bestätigen',
  again: 'Neu beginnen',
  joined: 'Sie erhalten nun die SMS',
  joinedText:
    '{number} erhält SMS von {group} von {account}. Antworten Sie auf eine mit STOP, um sie zu beenden.',
  leave: 'SMS abbestellen',
  leaveText:
    'Möchten Sie unter {number} keine SMS mehr von {account}? Drücken Sie auf den Knopf, um sie zu beenden.',
  unnamed: 'diesem Absender',
  leaveAll: 'Keine SMS mehr erhalten',
  leaveGroup: 'Nur SMS von {group} beenden',
  left: 'Sie sind abgemeldet',
  leftAll:
    '{number} erhält keine SMS mehr von {account}. Um wieder SMS zu erhalten, antworten Sie auf eine frühere SMS mit START.',
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

const WORDS = { en: ENGLISH, de: GERMAN } as const
/** A language of the pages: those of the console. */
export type PageLanguage = keyof typeof WORDS
export const PAGE_LANGUAGES = Object.keys(WORDS) as readonly PageLanguage[]

/** Maximum items of an Accept-Language header that are read. */
const MAX_WANTED = 20

/** The language that the browser prefers most among those of the pages, else English. RFC 9110, 12.5.4 */
export function choosePageLanguage(acceptLanguage = ''): PageLanguage {
  const wanted = acceptLanguage
    .slice(0, 500)
    .split(',', MAX_WANTED)
    .map((item) => {
      const [tag = '', quality = ''] = item.toLowerCase().split(';')
      const [, weight = '1'] = quality.split('q=')
      return { name: tag.trim().split('-')[0]!, weight: Number(weight) || 0 }
    })
  const best = wanted
    .filter(({ name, weight }) => weight > 0 && Object.hasOwn(WORDS, name))
    .toSorted((a, b) => b.weight - a.weight)[0]
  return (best?.name ?? 'en') as PageLanguage
}

/** Names that the words of a page contain. */
export interface Names {
  readonly account: string
  readonly group: string
}

const NO_NAMES: Names = { account: '', group: '' }

/** Words of a page, with names and the number filled in. */
export const fillPageWords = (
  language: PageLanguage,
  word: PageWord,
  names = NO_NAMES,
  number = '',
): string => fillNames(WORDS[language][word], names).replaceAll('{number}', () => number)
