import { renameRateLimits, SettingsStore } from '../../../src/engine/settings/settings-store.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { openTestDb } from '../../support/server/start.ts'

const db = await openTestDb()
await migrateDatabase(db)
const here = await SettingsStore.open(db)
afterAll(() => here.close())

const rule = (label: string, audience = '') => ({ label, audience, duration: 10, maxRequests: 5 })
const write = (...labels: string[]) =>
  here.save({ rateLimits: { rules: labels.map((label) => rule(label)) } })
async function labels(): Promise<string[]> {
  await here.reload()
  return here.current.rateLimits.rules.map(({ label }) => label)
}

test('renaming a collection renames its rate limit labels and no others', async () => {
  await write('posts:create', 'posts2:list', 'posts:list', '/api/')
  await renameRateLimits(here, 'posts', 'texts')
  expect(await labels()).toEqual(['texts:create', 'posts2:list', 'texts:list', '/api/'])
})

test('two concurrent renames both reach the labels of the rate limits', async () => {
  await write('posts:create', 'notes:create')
  await Promise.all([
    renameRateLimits(here, 'posts', 'texts'),
    renameRateLimits(here, 'notes', 'words'),
  ])
  expect(await labels()).toEqual(['texts:create', 'words:create'])
})

test('a label that another node has just added is kept and renamed', async () => {
  await write('posts:create')
  // a node that has not heard of it yet
  const elsewhere = await SettingsStore.open(db)
  await elsewhere.close()
  await write('posts:create', 'posts:list', '/api/')
  await renameRateLimits(elsewhere, 'posts', 'texts')
  expect(await labels()).toEqual(['texts:create', 'texts:list', '/api/'])
})
