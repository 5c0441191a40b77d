import { DatabaseTime } from './database-time.ts'
import { FIRST_ROWS, RATES } from './limits.ts'
import { Places } from './places.ts'

/** Statements at a time, of the server and of clients. */
interface Size {
  readonly ofServer: number
  readonly ofClients: number
}

/** What the work on one database shares. Without a size, statements take no turns. */
export const databasePlaces = (size?: Size) => ({
  /** Statements that clients shaped. */
  time: size && new DatabaseTime(size.ofClients),
  /** Connections for statements. Holders take turns; a single holder may use all. */
  connections: new Places({
    name: RATES.databaseTime.name,
    total: size?.ofServer ?? Infinity,
    share: Infinity,
  }),
  firstRows: new Places(FIRST_ROWS),
})
