/** Values to choose from, each with its words. */
export type Choices<K = string> = readonly (readonly [value: K, words: string])[]

/** Records to choose from, by their names. */
export const nameChoices = (
  records: readonly { readonly id: string; readonly name: string }[],
): Choices => records.map(({ id, name }) => [id, name])
