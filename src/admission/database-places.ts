import { DatabaseTime } from './database-time.ts'
import { FIRST_ROWS, RATES } from './limits.ts'
import { Places } from './places.ts'

/** Maximum concurrent statements of the server and of clients. */
interface Size {
  readonly ofServer: number
  readonly ofClients: number
}

/** The limits of one database. Without a size, statements are not limited. */
export const databasePlaces = (size?: Size) => ({
  /** Turns of client-shaped statements. */
  time: size && new DatabaseTime(size.ofClients),
  /** Connections for statements. Holders take turns; a single holder may use all. */
  connections: new Places({
    name: RATES.databaseTime.name,
    total: size?.ofServer ?? Infinity,
    share: Infinity,
  }),
  firstRows: new Places(FIRST_ROWS),
})
