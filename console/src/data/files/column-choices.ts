/** The columns to choose from, by their indexes: several guessed ones together, and each alone. */
export const makeChoices = (head: readonly string[], guessed: readonly number[]) => [
  ...(guessed.length > 1
    ? [[guessed.join(), guessed.map((at) => head[at]).join(' + ')] as const]
    : []),
  ...head.map((title, at) => [String(at), title] as const),
]

/** The indexes of a chosen value of `makeChoices`. */
export const readIndexes = (value: string): number[] =>
  value === '' ? [] : value.split(',').map(Number)
