import type { Place } from './place.ts'
import { PLACES_OF_CALLS } from './places-of-calls.ts'
import { PLACES_OF_NUMBER } from './places-of-number.ts'
import { PLACES_OF_TEXTS } from './places-of-texts.ts'

/** Every place where data of persons stands. `test/gateway/people/no-places` has all other tables. */
export const PLACES: readonly Place[] = [
  ...PLACES_OF_TEXTS,
  ...PLACES_OF_CALLS,
  ...PLACES_OF_NUMBER,
]
