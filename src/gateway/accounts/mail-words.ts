import { makeSay } from '../../platform/words/say.ts'
import type { Language } from '../../portable/languages.ts'
import de from './words/de.json' with { type: 'json' }
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import fr from './words/fr.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }

const WORDS = { en, de, es, fr, pt }

/** A function that says the sentences of mails to members and owners. */
export const makeMailSay = (language: Language) => makeSay(WORDS, language)
