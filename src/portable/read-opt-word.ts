import { dropAttachmentLines } from './attachment-lines.ts'

/** Opt-out and opt-in words in any spelling. */
export interface OptWords {
  readonly out: readonly string[]
  readonly in: readonly string[]
}

/** Maximum characters of a word. Longer texts are sentences. */
const MAX_WORD = 60

/** Punctuation, quotes, emoji, space and invisible marks, which people and phones put around a word. */
const AROUND = /[\p{P}\p{S}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u
/** How lines begin that phones and mail programs add. */
const SIGNATURE =
  /\n[^\S\n]*(?:--|—|sent from |get outlook |gesendet (?:von|mit) |envoyé (?:de|depuis) |enviado (?:desde|do) |inviato da |verstuurd vanaf |wysłane z |skickat från )/iu
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

function dropSignature(text: string): string {
  const at = text.search(SIGNATURE)
  return at < 0 ? text : text.slice(0, at)
}

/**
 * The word that a whole text is, in one spelling: without what stands around it, with one space for each run
 * of white space or hyphens, in upper case by Unicode. '' for a text that is longer than any word.
 */
function foldWord(text: string): string {
  const characters = [...text]
  let [start, end] = [0, characters.length]
  while (start < end && AROUND.test(characters[start]!)) start++
  // not a regular expression for the whole text: one took 1.4 s for 39,000 dots before a letter
  while (end > start && AROUND.test(characters[end - 1]!)) end--
  if (end - start > MAX_WORD) return ''
  const word = characters.slice(start, end).join('').normalize('NFKC').replace(INVISIBLE, '')
  // upper case of a lower case letter: `ß` becomes `SS`, and the Turkish `İ` and `ı` become `I`
  const lower = word.toUpperCase().toLowerCase().normalize('NFC').replaceAll('i\u0307', 'i')
  return lower.toUpperCase().replace(/[\s\p{Pd}]+/gu, ' ')
}

/**
 * True for an opt-out word, false for an opt-in word, undefined for any other text, such as a sentence. Lines
 * about the files of an MMS do not count, nor do signatures.
 */
export function readOptWord(body: string, words: OptWords): boolean | undefined {
  const word = foldWord(dropSignature(dropAttachmentLines(body)))
  if (word === '') return undefined
  const isOne = (one: string) => one === word || foldWord(one) === word
  if (words.out.some(isOne)) return true
  return words.in.some(isOne) ? false : undefined
}
