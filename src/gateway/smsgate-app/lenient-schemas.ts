import { z } from 'zod'
import { makeTextSchema as line, makeInstantSchema } from '../base/body-schemas.ts'

/** A text, cut to `max` characters instead of refused: the app does not repeat a refused request. */
export const cut = (max: number) =>
  z
    .string('must be a text')
    .transform((value) => value.slice(0, max))
    .pipe(line())

const MAX_ITEMS = 100
/** The first MAX_ITEMS of a list. The rest is ignored: millions of empty items fit into a body. */
export const takeFirstItems = <T extends z.ZodType>(item: T) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, MAX_ITEMS) : list), z.array(item))

export const makeLenientList = <T extends z.ZodType>(item: T) =>
  takeFirstItems(item)
    .nullish()
    .transform((list) => list ?? [])

/** Android before 7 writes time zones such as -05:00 and -03:30 as `+-5:00` and `+-3:-30`. */
const OLD_ZONE = /\+-(\d{1,2}):-?(\d\d)$/
export const phoneInstant = z
  .string('must be a date')
  .transform((raw) =>
    raw.replace(OLD_ZONE, (_, hours, minutes) => `-${hours.padStart(2, '0')}:${minutes}`),
  )
  .pipe(makeInstantSchema())
