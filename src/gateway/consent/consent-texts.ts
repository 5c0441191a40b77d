import { chooseTextLanguage, type Spoken } from '../../portable/country-languages.ts'
import { type LanguageWords, REPLY_WORDS } from '../../portable/reply-words.ts'

/**
 * The texts of consent by language. `{account}`, `{group}`: names; `{stop}`: the word that ends texts. All
 * signs are of the GSM alphabet: a letter that it lacks loses its accent, as in texts of carriers.
 */
interface Wording extends LanguageWords {
  /** Asks a person who texted a word that joins. */
  readonly ask: string
  readonly joined: string
  /** The text with the code that a person enters on a page to join; the code replaces `{{code}}`. */
  readonly code: string
  /** Answers a text that asks for help. `{group}`: the names of all groups that a word joins. */
  readonly helped: string
}

const WORDINGS: Readonly<Record<string, Wording>> = {
  en: {
    ...REPLY_WORDS.en,
    ask: '{account}: Reply YES to get texts of {group}. Message rates may apply. HELP for help, {stop} to end.',
    joined: '{account}: You now get texts of {group}. Reply HELP for help, {stop} to end.',
    code: '{account}: {{code}} is your code to get texts of {group}. Reply HELP for help, {stop} to end.',
    helped: '{account}: texts of {group}. Reply {stop} to end them. Message rates may apply.',
  },
  de: {
    ...REPLY_WORDS.de,
    ask: '{account}: Antworten Sie JA, um SMS von {group} zu erhalten. HILFE für Hilfe, {stop} zum Abmelden.',
    joined: '{account}: Sie erhalten nun SMS von {group}. HILFE für Hilfe, {stop} zum Abmelden.',
    code: '{account}: {{code}} ist Ihr Code, um SMS von {group} zu erhalten. HILFE für Hilfe, {stop} zum Abmelden.',
    helped: '{account}: SMS von {group}. Antworten Sie {stop}, um sich abzumelden.',
  },
  es: {
    ...REPLY_WORDS.es,
    ask: '{account}: Responda SI para recibir SMS de {group}, AYUDA para obtener ayuda o {stop} para darse de baja.',
    joined:
      '{account}: Alta confirmada en los SMS de {group}. Responda AYUDA para obtener ayuda o {stop} para darse de baja.',
    code: '{account}: {{code}} es su codigo para recibir SMS de {group}. Responda AYUDA para obtener ayuda o {stop} para darse de baja.',
    helped: '{account}: SMS de {group}. Responda {stop} para darse de baja.',
  },
  fr: {
    ...REPLY_WORDS.fr,
    ask: "{account} : Répondez OUI pour recevoir les SMS de {group}. AIDE pour de l'aide, {stop} pour vous désinscrire.",
    joined:
      "{account} : Vous recevez les SMS de {group}. AIDE pour de l'aide, {stop} pour vous désinscrire.",
    code: "{account} : {{code}} est votre code pour recevoir les SMS de {group}. AIDE pour de l'aide, {stop} pour vous désinscrire.",
    helped: '{account} : SMS de {group}. Répondez {stop} pour ne plus en recevoir.',
  },
  it: {
    ...REPLY_WORDS.it,
    ask: '{account}: Rispondi SI per ricevere SMS di {group}. AIUTO per aiuto, {stop} per terminare.',
    joined: '{account}: Ora ricevi SMS di {group}. AIUTO per aiuto, {stop} per terminare.',
    code: '{account}: {{code}} è il codice per ricevere SMS di {group}. AIUTO per aiuto, {stop} per terminare.',
    helped: '{account}: SMS di {group}. Rispondi {stop} per non riceverne più.',
  },
  nl: {
    ...REPLY_WORDS.nl,
    ask: '{account}: Antwoord JA om sms van {group} te krijgen. HULP voor hulp, {stop} om te stoppen.',
    joined: '{account}: U krijgt nu sms van {group}. HULP voor hulp, {stop} om te stoppen.',
    code: '{account}: {{code}} is uw code om sms van {group} te krijgen. HULP voor hulp, {stop} om te stoppen.',
    helped: '{account}: sms van {group}. Antwoord {stop} om te stoppen.',
  },
  pl: {
    ...REPLY_WORDS.pl,
    ask: '{account}: Odpowiedz TAK, aby otrzymywac SMS-y od {group}. POMOC: pomoc, {stop}: rezygnacja.',
    joined: '{account}: Otrzymujesz SMS-y od {group}. POMOC: pomoc, {stop}: rezygnacja.',
    code: '{account}: {{code}} to kod, aby otrzymywac SMS-y od {group}. POMOC: pomoc, {stop}: rezygnacja.',
    helped: '{account}: SMS-y od {group}. Odpowiedz {stop}, aby zrezygnowac.',
  },
  pt: {
    ...REPLY_WORDS.pt,
    ask: '{account}: Responda SIM para receber SMS de {group}, AJUDA para obter ajuda ou {stop} para cancelar.',
    joined:
      '{account}: A partir de agora vai receber SMS de {group}. Responda AJUDA para obter ajuda ou {stop} para cancelar.',
    code: '{account}: {{code}} é o seu codigo para receber SMS de {group}. Responda AJUDA para obter ajuda ou {stop} para cancelar.',
    helped: '{account}: SMS de {group}. Responda {stop} para cancelar.',
  },
  sv: {
    ...REPLY_WORDS.sv,
    ask: '{account}: Svara JA för att få sms från {group}. HJÄLP för hjälp, {stop} för att avsluta.',
    joined: '{account}: Du får nu sms från {group}. HJÄLP för hjälp, {stop} för att avsluta.',
    code: '{account}: {{code}} är din kod för att få sms från {group}. HJÄLP för hjälp, {stop} för att avsluta.',
    helped: '{account}: sms från {group}. Svara {stop} för att avsluta.',
  },
}

const listConsentTexts = (of: 'yes' | 'help') =>
  Object.values(WORDINGS).flatMap((wording) => wording[of])
/** The words of all languages that confirm, and those that ask for help. */
export const YES_WORDS: readonly string[] = listConsentTexts('yes')
export const HELP_WORDS: readonly string[] = listConsentTexts('help')

/** The words that end and begin texts, and that ask for help. */
interface ReplyWords {
  readonly stop: string
  readonly start: string
  readonly help: string
}

/** The words for people who read this language. `chosen`: the languages whose words the account takes. */
export function findReplyWords(language: string, chosen: readonly string[]): ReplyWords {
  const wording = WORDINGS[language]!
  const { stop, start } = chosen.includes(language) ? wording : WORDINGS.en!
  return { stop, start, help: wording.help[0]! }
}

/** A text in the account's language, with its names. `visitor`: the language of a page's visitor. */
export function renderConsentText(
  kind: 'ask' | 'joined' | 'code' | 'helped',
  spoken: Spoken,
  names: Readonly<Record<'account' | 'group', string>>,
  visitor = '',
): string {
  const language = chooseTextLanguage(spoken, visitor)
  const { stop } = findReplyWords(language, spoken.chosen)
  return fillNames(
    WORDINGS[language]![kind].replaceAll('{stop}', () => stop),
    names,
  )
}

/** Replaces `{account}` and `{group}`, each once or more. */
export const fillNames = (
  text: string,
  { account, group }: Readonly<Record<'account' | 'group', string>>,
): string =>
  text.replaceAll(/\{(account|group)\}/g, (_, name) => (name === 'account' ? account : group))
