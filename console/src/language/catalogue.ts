import german from './de/first.json' with { type: 'json' }
import { type Language, language } from './language.ts'

/** Maps the English texts in the code to translations. */
type Catalogue = Readonly<Record<string, string>>

/** Translations by language. `first` is in the first bundle. `pages` is loaded before a page is shown. */
const CATALOGUES: Readonly<
  Record<
    Exclude<Language, 'en'>,
    { first: Catalogue; pages: () => Promise<{ default: Catalogue }> }
  >
> = {
  de: { first: german, pages: () => import('./de/pages.json', { with: { type: 'json' } }) },
}

const own = language === 'en' ? undefined : CATALOGUES[language]
const catalogue = new Map(Object.entries(own?.first ?? {}))
let pages: Promise<void> | undefined

/** Loads the translations for pages, once. Import pages only afterwards, because their constants call `t`. */
export function loadPageTexts(): Promise<void> {
  pages ??= addPageTexts().catch((error) => {
    pages = undefined
    throw error
  })
  return pages
}

async function addPageTexts(): Promise<void> {
  const loaded = await own?.pages()
  for (const [english, text] of Object.entries(loaded?.default ?? {})) catalogue.set(english, text)
}

export const lookUp = (english: string): string => catalogue.get(english) ?? english
