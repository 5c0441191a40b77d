import { foldText } from '../fold-text.ts'

/** The meaning of a column's cells by its title. */

const MOBILE =
  /^(?:mobile?|mobil(?:e|er|a|ny|funk|nummer|number|phone|telefon)|handy|handynummer|cell|cellphone|cellular|celular|cel|portable|movil|gsm|natel|iphone|msisdn|whatsapp|sms)$/
const PHONE =
  /^(?:phones?|telephones?|phonenumbers?|tel|telefon|telefoon|telefono|telefone|telefonnummer|rufnummer|numbers?|nummer|numero|numer|recipients?)$/
/** Words beside them that say which of a person's numbers it is. */
const KIND =
  /^(?:home|work|business|primary|main|other|car|privat|private|geschaftlich|dienstlich|haupt|weitere|personal|value|no|nr|contact)$/
/** Machines that receive no texts. */
const MACHINE = /^(?:\w*fax|pager|telex|isdn|tty|tdd|radio|callback)$/
/** Titles of columns with other numbers, codes, dates and labels. */
const OTHER =
  /^(?:zip|plz|postal|postcode|postleitzahl|code|id|ids|uid|date|datum|birthday|geburtstag|created|updated|iban|bic|account|konto|kontonummer|kundennummer|order|invoice|bestellnummer|rechnungsnummer|amount|betrag|price|preis|label|type|ust|vat|tax)$/
const NAME =
  /^(?:names?|fullname|displayname|kontakt|contact|nom|nombre|nome|naam|person|guest|gast|customer|kunde|client|patient|member|mitglied|teilnehmer)$/
const FIRST = /^(?:vorname|vornamen|firstname|givenname|prenom|nombres)$/
const LAST = /^(?:nachname|familienname|lastname|familyname|surname|apellidos?|cognome)$/
const NO_NAME =
  /^(?:message|text|body|notes?|city|ort|stadt|ville|street|strasse|country|land|address|adresse|hotel|device|status|title|job|labels|gender|time|yomi|phonetic|prefix|suffix|maiden|nick|nickname|short|company|organization|firma|file|mail|manager|assistant|user|domain|host|group|e|phone|number|spouse|referred|department)$/

const splitTitleWords = (title: string): string[] =>
  foldText(title.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')).match(/\p{L}+/gu) ?? []

const hasTitleWord = (title: string, pattern: RegExp): boolean =>
  splitTitleWords(title).some((word) => pattern.test(word))

export const isMobileTitle = (title: string): boolean => hasTitleWord(title, MOBILE)

/** `Phone`, `Mobile Phone`, `Phone 2 - Value`: the row's own phone number. `Assistant's Phone` is not. */
export function isPhoneTitle(title: string): boolean {
  const words = splitTitleWords(title)
  const isPhone = (word: string) => MOBILE.test(word) || PHONE.test(word)
  return words.some(isPhone) && words.every((word) => isPhone(word) || KIND.test(word))
}

/** `Home Fax`, `Pager`: a number that receives no texts. */
export const isMachineTitle = (title: string): boolean => hasTitleWord(title, MACHINE)

/** Whether a column with this title has no numbers for texts, whatever its cells look like. */
export const isOtherTitle = (title: string): boolean =>
  hasTitleWord(title, OTHER) || isMachineTitle(title)

export type NamePart = 'whole' | 'first' | 'middle' | 'last'

export const isNoNameTitle = (title: string): boolean =>
  hasTitleWord(title, NO_NAME) || isOtherTitle(title)

/** Which part of a person's name the cells have; undefined for other titles. */
export function findNamePart(title: string): NamePart | undefined {
  const words = splitTitleWords(title)
  const text = words.join(' ')
  if (isNoNameTitle(title)) return undefined
  if (/^(?:first|given) name$/.test(text) || (words.length === 1 && FIRST.test(text)))
    return 'first'
  if (/^(?:middle|additional) name$/.test(text) || text === 'weitere vornamen') return 'middle'
  if (/^(?:last|family) name$/.test(text) || (words.length === 1 && LAST.test(text))) return 'last'
  return words.some((word) => NAME.test(word)) ? 'whole' : undefined
}
