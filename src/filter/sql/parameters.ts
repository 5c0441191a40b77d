import { cleanText } from '../../fields/values/cast.ts'
import { asText, type Input, type Slot } from './scalar.ts'
import type { Param, Sql } from './sql.ts'

export const param = (cast: string, bind: (input: Input) => unknown): Sql => [
  { kind: 'param', cast, bind } satisfies Param,
]

export const textParam = (slot: Slot): Sql =>
  param('text', (input) => {
    const text = asText(slot(input))
    return text === null ? null : cleanText(text)
  })

/** A number parameter; NULL for other values. */
export const numberParam = (slot: Slot): Sql =>
  param('float8', (input) => {
    const value = slot(input)
    return value === null || typeof value === 'string' ? null : Number(value)
  })

export const flagParam = (flag: (input: Input) => boolean): Sql => param('bool', flag)
