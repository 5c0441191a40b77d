import { type Catalogues, makeSay } from '../../../platform/words/say.ts'
import type { Language } from '../../../portable/languages.ts'
import { findReplyWords } from '../consent-texts.ts'
import de from './words/de.json' with { type: 'json' }
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import fr from './words/fr.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }

export type PageWord = keyof typeof en

const WORDS: Catalogues<PageWord> = { en, de, es, fr, pt }

export interface Names {
  readonly account: string
  readonly group: string
  /** The languages whose words for STOP and START the account takes. */
  readonly chosen: readonly string[]
}

const NO_NAMES: Names = { account: '', group: '', chosen: [] }

/** A sentence of a page, with its names and the words for replies. */
export const fillPageWords = (
  language: Language,
  word: PageWord,
  { account, group, chosen } = NO_NAMES,
  number = '',
): string => {
  const replyWords = findReplyWords(language, chosen)
  return makeSay(WORDS, language)(word, { ...replyWords, account, group, number })
}
