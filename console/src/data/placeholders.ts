/** A placeholder as the server reads it: anything but braces, not only spaces. */
const PLACEHOLDER = /\{\{([^{}]*[^{}\s][^{}]*)\}\}/

/** A piece of a template: text as it is, or a variable. */
export interface Piece {
  readonly text: string
  readonly isVariable: boolean
}

/** A template in pieces. */
export const piecesOf = (body: string): Piece[] =>
  body.split(PLACEHOLDER).map((part, at) => {
    const isVariable = at % 2 === 1
    return { text: isVariable ? part.trim() : part, isVariable }
  })

/** The names of its variables, each once. */
export const variablesOf = (body: string): string[] => [
  ...new Set(
    piecesOf(body)
      .filter(({ isVariable }) => isVariable)
      .map(({ text }) => text),
  ),
]
