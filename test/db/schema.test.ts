import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/collections/catalog-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Db } from '../../src/db/open.ts'
import { countMessages } from '../../src/sms/totals.ts'
import { openTestDb } from '../support/start.ts'
import { dumpSchema } from './dump-schema.ts'

let db: Db
beforeAll(async () => {
  db = await openTestDb()
  await migrate(db)
  await (await openStore(db)).close()
  await countMessages(db)
})
afterAll(() => db.close())

test('schema.sql shows the present schema; `npm run schema` writes it anew', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot('./schema.sql')
})
