import type { OptWords } from './read-opt-word.ts'

/** The words of a server that sets no others (SMS_OPT_OUT_WORDS): carriers reserve them in all countries. */
export const ENGLISH_WORDS: OptWords = {
  out: [
    'STOP',
    'STOPALL',
    'STOP ALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'OPTOUT',
    'OPT OUT',
    'REVOKE',
  ],
  in: ['START', 'YES', 'UNSTOP'],
}

/**
 * Common opt-out and opt-in words of the languages in which Verify has texts, for accounts with them
 * in `opt_out_languages`. English words are settings of the server (SMS_OPT_OUT_WORDS).
 */
const OPT_LANGUAGES = {
  de: {
    out: [
      'STOPP',
      'ABMELDEN',
      'ABBESTELLEN',
      'AUSTRAGEN',
      'BEENDEN',
      'ENDE',
      'KÜNDIGEN',
      'KUENDIGEN',
      'KEINE SMS',
    ],
    in: ['ANMELDEN', 'STARTEN'],
  },
  es: {
    out: ['ALTO', 'BAJA', 'CANCELAR', 'DAR DE BAJA', 'DETENER', 'PARAR'],
    in: ['ALTA', 'EMPEZAR', 'INICIAR'],
  },
  fr: {
    out: [
      'ARRÊT',
      'ARRET',
      'ARRÊTER',
      'ARRETER',
      'ARRÊTEZ',
      'ARRETEZ',
      'DÉSABONNER',
      'DESABONNER',
      'DÉSINSCRIRE',
      'DESINSCRIRE',
      'FIN',
    ],
    in: ['COMMENCER', 'REPRENDRE'],
  },
  it: { out: ['ANNULLA', 'BASTA', 'CANCELLA', 'DISISCRIVI', 'FERMA'], in: ['INIZIA', 'ISCRIVI'] },
  nl: { out: ['AFMELDEN', 'STOPPEN', 'UITSCHRIJVEN'], in: ['AANMELDEN'] },
  pl: { out: ['ANULUJ', 'KONIEC', 'REZYGNUJĘ', 'REZYGNUJE', 'WYPISZ'], in: ['ZAPISZ'] },
  pt: {
    out: ['CANCELAR', 'DESCADASTRAR', 'PARAR', 'PARE', 'REMOVER', 'SAIR'],
    in: ['COMEÇAR', 'COMECAR', 'VOLTAR'],
  },
  sv: { out: ['AVREGISTRERA', 'AVSLUTA', 'SLUTA', 'STOPP'], in: ['STARTA'] },
} as const satisfies Readonly<Record<string, OptWords>>

export type OptLanguage = keyof typeof OPT_LANGUAGES

export const isOptLanguage = (name: string): name is OptLanguage =>
  Object.hasOwn(OPT_LANGUAGES, name)

/** The words with those of these languages. */
export function addLanguageWords(words: OptWords, languages: readonly string[]): OptWords {
  const all = languages.filter(isOptLanguage).map((name) => OPT_LANGUAGES[name])
  return {
    out: [words, ...all].flatMap(({ out }) => out),
    in: [words, ...all].flatMap((one) => one.in),
  }
}

export const ALL_LANGUAGES: OptWords = addLanguageWords(
  { out: [], in: [] },
  Object.keys(OPT_LANGUAGES),
)
