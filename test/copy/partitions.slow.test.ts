import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.ts'
import { writeBackup } from '../../src/backup/write.ts'
import { openStore } from '../../src/collections/catalog/catalog-store.ts'
import { copyInstallation } from '../../src/copy/copy.ts'
import type { Db } from '../../src/db/open.ts'
import { isPartitioned } from '../../src/db/partitions/state.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import {
  type Environment,
  emptyDatabase,
  removeFolders,
  withDatabase,
} from '../support/database/empty-databases.ts'
import { monthsAgo, withMonths } from '../support/database/months.ts'

const ROWS = 'select id, body, created, _rowid::text from sms_messages order by _rowid'

describe.runIf(process.env.TEST_BACKEND === 'postgres')('messages with partitions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-partitions-'))
  const file = join(folder, 'backup.zip')
  let full: Environment
  let rows: unknown[][]
  beforeAll(async () => {
    full = await emptyDatabase('postgres')
    await withDatabase(full, async (db) => {
      await migrate(db)
      const store = await openStore(db)
      await withMonths(store, 3)
      for (const count of [4, 2, 0])
        await db.query('insert into sms_messages (id, body, created) values ($1, $2, $3)', [
          `message${count}`,
          'Hello',
          `${await monthsAgo(db, count)}-10 12:00:00.000Z`,
        ])
      await store.close()
      rows = (await db.query(ROWS)).rows
      await writeBackup(db, file)
    })
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
    removeFolders()
  })

  const holdsAllInPlainTables = async (db: Db) => {
    expect((await db.query(ROWS)).rows).toEqual(rows)
    expect(await isPartitioned(db, 'sms_messages')).toBe(false)
    await db.query(`insert into sms_messages (id) values ('next')`)
    expect((await db.query(`select _rowid::int from sms_messages where id = 'next'`)).rows).toEqual([[4]])
  }

  test.each(['postgres', 'pglite'] as const)('are copied to plain ones on %s', async (kind) => {
    await withDatabase(await emptyDatabase(kind), async (target) => {
      await withDatabase(full, (source) => copyInstallation(source, target, () => {}))
      await holdsAllInPlainTables(target)
    })
  })

  test('are restored from a backup as plain ones, also in their own place', async () => {
    await withDatabase(await emptyDatabase('postgres'), async (db) => {
      await restoreBackup(db, file, {})
      await holdsAllInPlainTables(db)
    })
    await withDatabase(full, async (db) => {
      await restoreBackup(db, file, { replace: true })
      await holdsAllInPlainTables(db)
    })
  })
})
