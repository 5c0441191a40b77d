import { quoteText } from '../../fields/values/json-text.ts'
import { parseJson } from '../../tools/json.ts'

/** A list's JSON as PocketBase stores it. */
export const writeTextList = (texts: readonly string[]): string => `[${texts.map(quoteText).join(',')}]`

/** The texts of a JSON list in exactly the stored spelling; undefined for all else: no column equals it. */
export function readTextList(json: string): string[] | undefined {
  if (!json.startsWith('["') && json !== '[]') return undefined
  const value = parseJson(json)
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return undefined
  return writeTextList(value) === json ? value : undefined
}
