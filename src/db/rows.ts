import type { Result } from './backend.ts'

/** The rows as objects by the names of the columns. `T`: what the statement selects. */
export const objectsOf = <T>({ rows, fields }: Pick<Result, 'rows' | 'fields'>): T[] =>
  rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]])) as T)

export const textsOf = ({ rows }: Pick<Result, 'rows'>): string[] => rows.map(([text]) => String(text))
