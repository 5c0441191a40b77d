import { readFileSync } from 'node:fs'

const PARTS = ['first', 'pages'] as const
export type Say = (english: string, values?: Readonly<Record<string, string | number>>) => string

/** The console's texts in another language, by the English ones. */
export const catalogueOf = (language: string): ReadonlyMap<string, string> =>
  new Map(
    language === 'en'
      ? []
      : PARTS.flatMap((part) => Object.entries<string>(JSON.parse(read(language, part)))),
  )

const read = (language: string, part: string) =>
  readFileSync(new URL(`../../../console/src/language/${language}/${part}.json`, import.meta.url), 'utf8')

/** Says a text of the console as a browser of this locale shows it. */
export function sayIn(locale: string): Say {
  const catalogue = catalogueOf(locale.slice(0, 2))
  return (english, values = {}) =>
    (catalogue.get(english) ?? english).replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all))
}
