import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkBackup } from '../../src/backup/check.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { writeBackup } from '../../src/backup/write.ts'
import { openStore } from '../../src/collections/catalog/catalog-store.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { emptyDatabase, removeFolders, withDatabase } from '../support/database/empty-databases.ts'

const folder = mkdtempSync(join(tmpdir(), 'pocketsms-backup-'))
afterAll(() => {
  removeFolders()
  rmSync(folder, { recursive: true, force: true })
})

test('from one database to another', async () => {
  const [from, to] = [await emptyDatabase(), await emptyDatabase()]
  const file = join(folder, 'all.zip')
  await withDatabase(from, async (db) => {
    await migrate(db)
    await (await openStore(db)).close()
    const written = await writeBackup(db, file)
    expect(written.tables.length).toBeGreaterThan(20)
    expect(await checkBackup(file)).toEqual(written)
  })
  await withDatabase(to, async (db) => {
    const restored = await restoreBackup(db, file)
    expect(restored).toMatchObject({ ended: 0, foreign: [] })
    const again = await writeBackup(db, `${file}.again`)
    expect(again.tables).toEqual(restored.tables)
    await expect(restoreBackup(db, file)).rejects.toThrow('The database is not empty')
    await restoreBackup(db, file, { replace: true })
    const third = await writeBackup(db, `${file}.third`)
    expect(third.tables).toEqual(restored.tables)
  })
})
