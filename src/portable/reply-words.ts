/** The words of a language by which people answer texts. */
export interface LanguageWords {
  /** Texts that confirm, in any account. The question names the first one. */
  readonly yes: readonly string[]
  /** Texts that ask for help, in any account. The other texts and the public pages name the first one. */
  readonly help: readonly string[]
  /** Ends texts, and begins them again, if the account has chosen the language; else STOP and START do. */
  readonly stop: string
  readonly start: string
}

export const REPLY_WORDS = {
  en: { yes: ['YES', 'Y', 'CONFIRM'], help: ['HELP', 'INFO'], stop: 'STOP', start: 'START' },
  de: { yes: ['JA'], help: ['HILFE'], stop: 'STOPP', start: 'ANMELDEN' },
  es: { yes: ['SI', 'SÍ'], help: ['AYUDA'], stop: 'BAJA', start: 'ALTA' },
  fr: { yes: ['OUI'], help: ['AIDE'], stop: 'ARRET', start: 'REPRENDRE' },
  it: { yes: ['SI', 'SÌ'], help: ['AIUTO'], stop: 'BASTA', start: 'ISCRIVI' },
  nl: { yes: ['JA'], help: ['HULP'], stop: 'STOPPEN', start: 'AANMELDEN' },
  pl: { yes: ['TAK'], help: ['POMOC'], stop: 'KONIEC', start: 'ZAPISZ' },
  pt: { yes: ['SIM'], help: ['AJUDA'], stop: 'SAIR', start: 'VOLTAR' },
  sv: { yes: ['JA'], help: ['HJÄLP'], stop: 'SLUTA', start: 'STARTA' },
} satisfies Readonly<Record<string, LanguageWords>>
