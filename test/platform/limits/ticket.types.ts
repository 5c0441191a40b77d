import { Hono } from 'hono'
import type { CatalogStore } from '../../../src/engine/collections/catalog-store.ts'
import { makeAccountSender } from '../../../src/gateway/base/make-sender.ts'
import { countBatch } from '../../../src/gateway/messages/queue/count-batch.ts'
import { authenticate } from '../../../src/http/attempt.ts'
import type { Env } from '../../../src/http/request-context.ts'
import type { Database } from '../../../src/platform/db/open.ts'
import type { JobKind } from '../../../src/platform/jobs/job-queue.ts'
import type { GatewayServices } from '../../../src/protocols/gateway-services.ts'

// Compiled, never run: a statement needs a holder. `tsc` fails where an expected error is missing.

const sender = makeAccountSender('user', 'user')

export const routes = (services: GatewayServices) =>
  new Hono<Env>()
    // @ts-expect-error a store without a holder has no database
    .get('/a', async (c) => c.json((await services.store.db.query('select 1')).rows))
    // @ts-expect-error nor does it do where a holder's is needed
    .get('/b', async (c) => c.json(await countBatch(services.store, sender, 'batch')))
    .get('/c', async (c) => {
      const store = c.env.incoming.openStore(await authenticate(c, services))
      return c.json(await countBatch(store, sender, 'batch'))
    })
    // @ts-expect-error what sends has no database either
    .get('/d', async (c) => c.json((await services.sending.store.db.query('select 1')).rows))

const kind = { name: 'test', places: 1, placesOfHolder: 1, timeoutSeconds: 1, maxAttempts: 1 }

export const jobs = (store: CatalogStore): JobKind[] => [
  {
    ...kind,
    async run({ key }) {
      // @ts-expect-error a job of an account has no database before it names the account
      await store.db.query('select $1', [key])
      return undefined
    },
  },
  {
    ...kind,
    async run({ key, holder }) {
      await store.forUser(holder).db.query('select $1', [key])
      return undefined
    },
  },
]

export const program = async (database: Database): Promise<void> => {
  // @ts-expect-error an opened database has no statements
  await database.query('select 1')
  // @ts-expect-error work for everybody says what it is
  database.forEverybody()
  // @ts-expect-error by one of its names
  database.forEverybody('campaigns')
}
