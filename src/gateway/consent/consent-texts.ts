/** The texts of consent by language. `{account}`, `{group}`: names. Most signs are of the GSM alphabet. */
interface Wording {
  /** Texts that confirm. `ask` has the first one. */
  readonly yes: readonly string[]
  readonly help: readonly string[]
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
    yes: ['YES', 'Y', 'CONFIRM'],
    help: ['HELP', 'INFO'],
    ask: '{account}: Reply YES to get texts of {group}. Message rates may apply. HELP for help, STOP to end.',
    joined: '{account}: You now get texts of {group}. Reply HELP for help, STOP to end.',
    code: '{account}: {{code}} is your code to get texts of {group}. Reply HELP for help, STOP to end.',
    helped: '{account}: texts of {group}. Reply STOP to end them. Message rates may apply.',
  },
  de: {
    yes: ['JA'],
    help: ['HILFE'],
    ask: '{account}: Antworten Sie JA, um SMS von {group} zu erhalten. HILFE für Hilfe, STOPP zum Abmelden.',
    joined: '{account}: Sie erhalten nun SMS von {group}. HILFE für Hilfe, STOPP zum Abmelden.',
    code: '{account}: {{code}} ist Ihr Code, um SMS von {group} zu erhalten. HILFE für Hilfe, STOP zum Abmelden.',
    helped: '{account}: SMS von {group}. Antworten Sie STOPP, um sich abzumelden.',
  },
  es: {
    yes: ['SI', 'SÍ'],
    help: ['AYUDA'],
    ask: '{account}: Responda SI para recibir SMS de {group}. AYUDA para ayuda, BAJA para terminar.',
    joined: '{account}: Ahora recibe SMS de {group}. AYUDA para ayuda, BAJA para terminar.',
    code: '{account}: {{code}} es su código para recibir SMS de {group}. AYUDA para ayuda, STOP para terminar.',
    helped: '{account}: SMS de {group}. Responda BAJA para no recibir más.',
  },
  fr: {
    yes: ['OUI'],
    help: ['AIDE'],
    ask: '{account} : Répondez OUI pour recevoir les SMS de {group}. AIDE pour de l’aide, ARRET pour arrêter.',
    joined: '{account} : Vous recevez les SMS de {group}. AIDE pour de l’aide, ARRET pour arrêter.',
    code: '{account} : {{code}} est votre code pour recevoir les SMS de {group}. AIDE pour de l’aide, STOP pour arrêter.',
    helped: '{account} : SMS de {group}. Répondez ARRET pour ne plus en recevoir.',
  },
  it: {
    yes: ['SI', 'SÌ'],
    help: ['AIUTO'],
    ask: '{account}: Rispondi SI per ricevere SMS di {group}. AIUTO per aiuto, BASTA per terminare.',
    joined: '{account}: Ora ricevi SMS di {group}. AIUTO per aiuto, BASTA per terminare.',
    code: '{account}: {{code}} è il codice per ricevere SMS di {group}. AIUTO per aiuto, STOP per terminare.',
    helped: '{account}: SMS di {group}. Rispondi BASTA per non riceverne più.',
  },
  nl: {
    yes: ['JA'],
    help: ['HULP'],
    ask: '{account}: Antwoord JA om sms van {group} te krijgen. HULP voor hulp, STOPPEN om te stoppen.',
    joined: '{account}: U krijgt nu sms van {group}. HULP voor hulp, STOPPEN om te stoppen.',
    code: '{account}: {{code}} is uw code om sms van {group} te krijgen. HULP voor hulp, STOP om te stoppen.',
    helped: '{account}: sms van {group}. Antwoord STOPPEN om te stoppen.',
  },
  pl: {
    yes: ['TAK'],
    help: ['POMOC'],
    ask: '{account}: Odpowiedz TAK, aby otrzymywac SMS-y od {group}. POMOC: pomoc, KONIEC: rezygnacja.',
    joined: '{account}: Otrzymujesz SMS-y od {group}. POMOC: pomoc, KONIEC: rezygnacja.',
    code: '{account}: {{code}} to kod, aby otrzymywac SMS-y od {group}. POMOC: pomoc, STOP: rezygnacja.',
    helped: '{account}: SMS-y od {group}. Odpowiedz KONIEC, aby zrezygnowac.',
  },
  pt: {
    yes: ['SIM'],
    help: ['AJUDA'],
    ask: '{account}: Responda SIM para receber SMS de {group}. AJUDA para ajuda, SAIR para terminar.',
    joined: '{account}: Recebe agora SMS de {group}. AJUDA para ajuda, SAIR para terminar.',
    code: '{account}: {{code}} é o código para receber SMS de {group}. AJUDA para ajuda, STOP para terminar.',
    helped: '{account}: SMS de {group}. Responda SAIR para deixar de receber.',
  },
  sv: {
    yes: ['JA'],
    help: ['HJÄLP'],
    ask: '{account}: Svara JA för att få sms från {group}. HJÄLP för hjälp, SLUTA för att avsluta.',
    joined: '{account}: Du får nu sms från {group}. HJÄLP för hjälp, SLUTA för att avsluta.',
    code: '{account}: {{code}} är din kod för att få sms från {group}. HJÄLP för hjälp, STOP för att avsluta.',
    helped: '{account}: sms från {group}. Svara SLUTA för att avsluta.',
  },
}

const listConsentTexts = (of: 'yes' | 'help') =>
  Object.values(WORDINGS).flatMap((wording) => wording[of])
/** The words of all languages that confirm, and those that ask for help. */
export const YES_WORDS: readonly string[] = listConsentTexts('yes')
export const HELP_WORDS: readonly string[] = listConsentTexts('help')

/** A text in the first known of these languages, else in English, with its names filled in. */
export function renderConsentText(
  kind: 'ask' | 'joined' | 'code' | 'helped',
  languages: readonly string[],
  names: Readonly<Record<'account' | 'group', string>>,
): string {
  const language = languages.find((name) => Object.hasOwn(WORDINGS, name)) ?? 'en'
  return fillNames(WORDINGS[language]![kind], names)
}

/** Replaces `{account}` and `{group}`, each once or more. */
export const fillNames = (
  text: string,
  { account, group }: Readonly<Record<'account' | 'group', string>>,
): string =>
  text.replaceAll(/\{(account|group)\}/g, (_, name) => (name === 'account' ? account : group))
