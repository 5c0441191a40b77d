import { FIRST_ROWS, RATES } from './admission-limits.ts'
import { TimedPlaces } from './timed-places.ts'
import { Places } from './waiting-places.ts'

interface Size {
  readonly ofServer: number
  readonly ofClients: number
}

/** Turns for statements with clients' filters. A holder may run half of `total` at once. */
export const makeDatabaseTime = (total: number) =>
  new TimedPlaces(
    { name: RATES.databaseTime.name, total, share: Math.max(1, total >> 1) },
    RATES.databaseTime,
  )

export const makeDatabasePlaces = (size?: Size) => ({
  time: size && makeDatabaseTime(size.ofClients),
  connections: new Places({
    name: RATES.databaseTime.name,
    total: size?.ofServer ?? Infinity,
    share: Infinity,
  }),
  firstRows: new Places(FIRST_ROWS),
})
