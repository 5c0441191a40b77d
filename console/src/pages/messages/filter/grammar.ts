/** The parser that peggy makes of the filter grammar. */
export type Parse = (text: string) => unknown

/** Where the grammar ends with a filter, and its words for why. */
export interface SyntaxFault {
  readonly start: number
  readonly end: number
  readonly reason: string
}

/** The grammar's words for a bracket that nothing closes. */
export const UNCLOSED = /closing bracket/

/** Reads a filter by the server's own grammar; what is wrong with it, undefined when nothing is. */
export function syntaxFault(parse: Parse, filter: string): SyntaxFault | undefined {
  try {
    parse(filter)
    return undefined
  } catch (error) {
    const { message, location } = error as {
      message: string
      location?: { start: { offset: number }; end: { offset: number } }
    }
    return {
      start: location?.start.offset ?? 0,
      end: location?.end.offset ?? filter.length,
      reason: message,
    }
  }
}
