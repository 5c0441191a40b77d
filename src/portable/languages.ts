/** The languages of the console, of public pages and of mails. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

export const isLanguage = (text: unknown): text is Language => LANGUAGES.includes(text as Language)

/** A stored language; English where none is chosen. */
export const readLanguage = (stored: unknown): Language => (isLanguage(stored) ? stored : 'en')

/** Maximum items of an Accept-Language header that are read. */
const MAX_WANTED = 20

/** The language that the browser prefers most among these; undefined if it wants others. RFC 9110, 12.5.4 */
export function readAcceptLanguage(header = ''): Language | undefined {
  const wanted = header
    .slice(0, 500)
    .split(',', MAX_WANTED)
    .map((item) => {
      const [tag = '', quality = ''] = item.toLowerCase().split(';')
      const [, weight = '1'] = quality.split('q=')
      return { name: tag.trim().split('-')[0]!, weight: Number(weight) || 0 }
    })
  return wanted
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name }) => name)
    .find(isLanguage)
}
