import german from './de/first.json' with { type: 'json' }
import { type Language, language } from './language.ts'

/** Texts of the code, which are English, and the same in another language. */
type Catalogue = Readonly<Record<string, string>>

/** What the first load shows comes with it, 3 kB a language; what the pages show is loaded before them. */
const CATALOGUES: Readonly<
  Record<Exclude<Language, 'en'>, { first: Catalogue; pages: () => Promise<{ default: Catalogue }> }>
> = {
  de: { first: german, pages: () => import('./de/pages.json', { with: { type: 'json' } }) },
}

const own = language === 'en' ? undefined : CATALOGUES[language]
const catalogue = new Map(Object.entries(own?.first ?? {}))
let pages: Promise<void> | undefined

/**
 * Loads the texts of the pages, once. No module of a page may be imported before: its constants hold texts.
 */
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

/** A text in the window's language; English if the catalogue lacks it. */
export const lookUp = (english: string): string => catalogue.get(english) ?? english
