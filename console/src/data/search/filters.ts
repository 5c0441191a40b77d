import { readPhonePart } from '#portable/phone/format-phone.ts'
import { pb } from '../client.ts'
import type { Contact } from '../record-types.ts'
import { hasWords, isLongSearch, splitWords, writeWordsFilter } from './words.ts'

/** A filter for contacts by words of the name or a part of the number, which may be one of `country`. */
export const writeContactFilter = (text: string, country: string): string =>
  writeRecordsFilter(text, country, ['name'], 'phone')

/** A filter that finds conversations by words of the name or the last text, or by a part of the number. */
export const writeConversationFilter = (text: string, country: string): string =>
  writeRecordsFilter(text, country, ['name', 'last_text'], 'number')

function writeRecordsFilter(
  text: string,
  country: string,
  fields: readonly string[],
  number: string,
): string {
  const partsFilter = (word: string) =>
    splitNumberParts(word, country).map((part) => pb.filter(`${number} ~ {:part}`, { part }))
  return writeWordsFilter(splitSearch(text, country), fields, partsFilter)
}

/** The words of a search. A phone number is one word, however it is written. */
const splitSearch = (text: string, country: string): readonly string[] =>
  splitNumberParts(text, country).length > 0 ? [text.trim()] : splitWords(text)

/** Matches a 0 and at least two more digits. The search keeps this 0: it may be inside a number. */
const WITH_ZERO = /^0(?:\s*\d){2,}$/

/** The digits to look for in numbers; none if the text cannot be part of a number. */
function splitNumberParts(text: string, country: string): readonly string[] {
  const digits = WITH_ZERO.test(text) ? text.replace(/\s/g, '') : ''
  return [...new Set([readPhonePart(text, country), digits])].filter(Boolean)
}

/** A search of more words looks for texts only, not for names and numbers. */
export const FEW_WORDS = 4
/** Each phone number takes two comparisons and some 45 bytes of the filter. */
export const MOST_NUMBERS = 50

export type Named = Pick<Contact, 'name' | 'phone'>

/**
 * A filter for texts with all words, each in the text, in its number or in the name of its contact. `named`
 * are contacts with such names. Words that no index finds only narrow down what longer words find.
 */
export function writeTextFilter(
  text: string,
  country: string,
  named: readonly Named[] = [],
): string {
  const words = splitSearch(text, country)
  const shown = named.slice(0, MOST_NUMBERS)
  const [whole, partly] = [true, false].map((is) =>
    shown.filter(({ name }) => hasWords(name, text) === is),
  )
  const fields = words.some(isLongSearch) ? ['body'] : []
  const isFew = words.length <= FEW_WORDS
  const more = (word: string) => {
    const parts = [...splitNumberParts(word, country), ...(isLongSearch(word) ? [word] : [])].slice(
      0,
      isFew ? 1 : 0,
    )
    const inNumber = parts.flatMap((part) => [
      pb.filter('to ~ {:part} || from ~ {:part}', { part }),
    ])
    const found = [
      ...inNumber,
      ...writeNumbersFilter(partly!.filter(({ name }) => hasWords(name, word))),
    ]
    return fields.length + found.length > 0 ? found : ['id = ""']
  }
  const all = writeWordsFilter(words, fields, more)
  return [all, ...writeNumbersFilter(whole!)].join('||')
}

// without spaces, because of the limit of 3,500 bytes
const writeNumbersFilter = (contacts: readonly Named[]): readonly string[] =>
  contacts.map(({ phone }) => pb.filter('to={:phone}||from={:phone}', { phone }))
