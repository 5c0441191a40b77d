import type { Language } from '#portable/languages.ts'
import { language } from './language.ts'

/** The forms of a sentence with a count by CLDR, for each language. `Intl.PluralRules` chooses among them. */
interface PluralForms {
  de: 'one' | 'other'
  es: 'one' | 'many' | 'other'
  fr: 'one' | 'many' | 'other'
  pt: 'one' | 'many' | 'other'
}

/** Maps the English texts in the code to translations; texts with a count to a translation for each form. */
type Catalogue<Form extends string> = Readonly<
  Record<string, string | Readonly<Record<Form, string>>>
>

/** Loads a file of translations. */
type Load<Form extends string> = () => Promise<{ default: Catalogue<Form> }>

/**
 * Translations by language, which only browsers of that language load. `first` is loaded before the console
 * starts, `pages` before a page is shown.
 */
const CATALOGUES: Readonly<{
  [Name in Exclude<Language, 'en'>]: Readonly<Record<'first' | 'pages', Load<PluralForms[Name]>>>
}> = {
  de: {
    first: () => import('./de/first.json', { with: { type: 'json' } }),
    pages: () => import('./de/pages.json', { with: { type: 'json' } }),
  },
  es: {
    first: () => import('./es/first.json', { with: { type: 'json' } }),
    pages: () => import('./es/pages.json', { with: { type: 'json' } }),
  },
  fr: {
    first: () => import('./fr/first.json', { with: { type: 'json' } }),
    pages: () => import('./fr/pages.json', { with: { type: 'json' } }),
  },
  pt: {
    first: () => import('./pt/first.json', { with: { type: 'json' } }),
    pages: () => import('./pt/pages.json', { with: { type: 'json' } }),
  },
}

const own = language === 'en' ? undefined : CATALOGUES[language]
const catalogue = new Map<string, Catalogue<string>[string]>()
let pages: Promise<void> | undefined

/** Loads the translations for pages, once. Import pages only afterwards, because their constants call `t`. */
export function loadPageTexts(): Promise<void> {
  pages ??= addTexts(own?.pages).catch((error) => {
    pages = undefined
    throw error
  })
  return pages
}

async function addTexts(load?: Load<string>): Promise<void> {
  const loaded = await load?.()
  for (const [english, text] of Object.entries(loaded?.default ?? {})) catalogue.set(english, text)
}

// the constants of the first load call `t`, too; without its translations the console is in English
await addTexts(own?.first).catch(() => {})

/** The translation of a text, or of a form of a text with a count. Undefined if the catalogue lacks it. */
export function lookUp(english: string, form?: Intl.LDMLPluralRule): string | undefined {
  const found = catalogue.get(english)
  return typeof found === 'object' ? found[form ?? 'other'] : found
}
