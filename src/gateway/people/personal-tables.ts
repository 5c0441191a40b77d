import { PLACES_OF_CALLS } from './personal-call-tables.ts'
import { PLACES_OF_NUMBER } from './personal-number-tables.ts'
import type { Place } from './personal-table.ts'
import { PLACES_OF_TEXTS } from './personal-text-tables.ts'

/** Every place where data of persons stands. `test/gateway/people/no-places` has all other tables. */
export const PLACES: readonly Place[] = [
  ...PLACES_OF_TEXTS,
  ...PLACES_OF_CALLS,
  ...PLACES_OF_NUMBER,
]
