import { closingBracket } from './tokens.ts'

/** The parser that peggy makes of the filter grammar. */
export type Parse = (text: string, options: object) => unknown

/** Where the grammar ends with a filter, and its words for why. */
export interface SyntaxFault {
  readonly start: number
  readonly end: number
  readonly reason: string
}

/** A bracket that nothing closes. */
export const UNCLOSED = 'unclosed bracket'

class BracketFault extends Error {}

/** Reads a filter by the server's own grammar; what is wrong with it, undefined when nothing is. */
export function syntaxFault(parse: Parse, filter: string): SyntaxFault | undefined {
  return readChain(parse, filter, 0)
}

/**
 * The inside of a bracket is read in its turn, as on the server: `offset` is where it begins in the filter.
 */
function readChain(parse: Parse, text: string, offset: number): SyntaxFault | undefined {
  let opened = 0
  let inner: SyntaxFault | undefined
  const options = {
    quote: (word: string) => JSON.stringify(word),
    quoteChar: (char: string) => JSON.stringify(char),
    closingBracket(start: number) {
      const end = closingBracket(text, start)
      opened = start
      if (end < 0) throw new BracketFault()
      return end
    },
    parseGroup(inside: string, start: number) {
      inner ??= readChain(parse, inside, offset + start)
    },
  }
  try {
    parse(text, options)
    return inner
  } catch (error) {
    if (inner) return inner
    if (error instanceof BracketFault)
      return { start: offset + opened - 1, end: offset + opened, reason: UNCLOSED }
    return { ...placeOf(error, offset, text.length), reason: (error as Error).message }
  }
}

function placeOf(error: unknown, offset: number, length: number): { start: number; end: number } {
  const place = (error as { location?: { start: { offset: number }; end: { offset: number } } }).location
  return { start: offset + (place?.start.offset ?? 0), end: offset + (place?.end.offset ?? length) }
}
