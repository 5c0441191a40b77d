/** Languages that every Postgres with ICU has had a collation for since version 10. */
const LANGUAGES: ReadonlySet<string> = new Set(
  'bg ca cs da de el en es et fi fr hr hu is it lt lv nb nl nn pl pt ro ru sk sl sq sr sv tr uk'.split(
    ' ',
  ),
)

/**
 * The collation that sorts texts as people of a language do, as quoted SQL: `Ö` beside `O` in German, after
 * `Z` in Swedish. Undefined for ''. Another language gets the order that Unicode gives to all.
 *
 * @param language a BCP 47 tag, such as `de` or `pt-BR`
 */
export function findCollation(language: string): string | undefined {
  if (language === '') return undefined
  const [primary = ''] = language.toLowerCase().split(/[-_]/)
  return LANGUAGES.has(primary) ? `"${primary}-x-icu"` : '"und-x-icu"'
}
