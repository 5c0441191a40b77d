import { quoteText } from '../fields/json-text.ts'

/** A list's JSON as PocketBase stores it. */
export const writeTexts = (texts: readonly string[]): string => `[${texts.map(quoteText).join(',')}]`

/** The texts of a JSON list in exactly the stored spelling; undefined for all else: no column equals it. */
export function readTexts(json: string): string[] | undefined {
  if (!json.startsWith('["') && json !== '[]') return undefined
  try {
    const value: unknown = JSON.parse(json)
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return undefined
    return writeTexts(value) === json ? value : undefined
  } catch {
    return undefined
  }
}
