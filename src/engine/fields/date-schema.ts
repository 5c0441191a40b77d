import { z } from 'zod'

const WIRE = String.raw`-?\d{3,6}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z`

const makeDateSchema = (form: string, ...examples: string[]) =>
  z
    .string()
    .regex(new RegExp(`^${form}$`))
    .meta({ examples: ['2026-11-20 07:00:00.000Z', ...examples] })

/** Schema of a date in an answer: PocketBase's format, in UTC. */
export const INSTANT = makeDateSchema(WIRE)

export const INSTANT_OR_EMPTY = makeDateSchema(`(${WIRE})?`, '')
