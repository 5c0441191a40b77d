import type { Store } from '../../../src/engine/collections/catalog.ts'
import {
  type CatalogStore,
  openCatalogStore as openCatalog,
} from '../../../src/engine/collections/catalog-store.ts'
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { runServer as startServer } from '../../../src/main/run-server.ts'
import type { RunningServer } from '../../../src/main/serve-database.ts'
import type { Config } from '../../../src/platform/config.ts'
import { openDb as openDatabase } from '../../../src/platform/db/connect-database.ts'
import type { Database, Db } from '../../../src/platform/db/open.ts'
import type { WorkerMember } from '../../../src/platform/jobs/worker-member.ts'
import type { Everybody, Ticket } from '../../../src/platform/limits/limit-holder.ts'
import type { Logger } from '../../../src/platform/log.ts'
import type { GatewayServices } from '../../../src/protocols/gateway-services.ts'
import { stopLater } from '../stops.ts'

/** A Db for everybody, from which a store can be opened. */
export type TestDb = Db & Pick<Database, 'for' | 'forEverybody'>
/** The same, of a database that the test closes. */
export type OpenDb = TestDb & Pick<Database, 'readFrom' | 'close'>
/** A store of the process that can be queried. */
export type TestStore<D extends TestDb = TestDb> = CatalogStore & Store & { readonly db: D }

/** Opens a database. It is closed after the test file. */
export async function openDb(config: Config, log: Logger): Promise<OpenDb> {
  const database = await openDatabase(config, log)
  return Object.assign(database.forEverybody('test'), {
    for: database.for.bind(database),
    forEverybody: database.forEverybody.bind(database),
    readFrom: database.readFrom.bind(database),
    close: stopLater(() => database.close()),
  })
}

/** Opens a store on it. It is closed after the test file. */
export async function openCatalogStore<D extends TestDb>(db: D): Promise<TestStore<D>> {
  const store = await openCatalog(db, BUILT_IN)
  return Object.assign(store, { db, close: stopLater(store.close.bind(store)) })
}

/** A server whose store can be queried. */
export type TestServer = Omit<RunningServer, 'retire'> & {
  readonly services: GatewayServices & { readonly store: TestStore }
}

/** Starts a server. It is stopped after the test file. */
export async function runServer(
  config: Config,
  log?: Logger,
  workers?: WorkerMember,
): Promise<TestServer> {
  const server = await startServer(config, log, workers)
  return {
    url: server.url,
    stop: stopLater(server.stop),
    get services() {
      const { services } = server
      return Object.assign(services, { store: testStore(services.store) })
    },
  }
}

function testStore(store: CatalogStore): TestStore {
  if ('db' in store) return store as TestStore
  const db = Object.assign(store.forEverybody('test').db, {
    for: (ticket: Ticket) => store.for(ticket).db,
    forEverybody: (work: Everybody) => store.forEverybody(work).db,
  })
  return Object.assign(store, { db })
}
