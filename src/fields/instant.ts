import { z } from 'zod'

const WIRE = String.raw`-?\d{3,6}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z`

/** A date in an answer: PocketBase's format, UTC. */
export const INSTANT = z
  .string()
  .regex(new RegExp(`^${WIRE}$`))
  .meta({ examples: ['2026-11-20 07:00:00.000Z'] })

/** A date as `INSTANT`, or an empty text. */
export const INSTANT_OR_EMPTY = z
  .string()
  .regex(new RegExp(`^(${WIRE})?$`))
  .meta({ examples: ['2026-11-20 07:00:00.000Z', ''] })
