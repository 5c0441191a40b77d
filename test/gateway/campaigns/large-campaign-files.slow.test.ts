import { join } from 'node:path'
import { restoreBackup } from '../../../src/engine/backup/restore.ts'
import { writeBackup } from '../../../src/engine/backup/write.ts'
import { sweepContents } from '../../../src/engine/files/file-contents.ts'
import { deleteFiles } from '../../../src/gateway/retention/end-old-messages.ts'
import { afterRestore } from '../../../src/main/after-restore.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { makePhoto } from '../../support/pictures.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { openTestDb } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'
import { openMmsServer } from '../messages/send/mms-fixture.ts'

// A campaign to 20,000 people with a photo of a phone, made as small as an MMS allows, beside one of words.
// Prints room, time and memory.

const PEOPLE = 20_000
const LATER = new Date(Date.now() + 86_400_000).toISOString()
const folder = temporaryFolder()
const server = await startServerWithDevices()
const { db } = server.server.services.store
const target = await openTestDb()
const { makeShop, sendForm } = openMmsServer(server)

const readNumber = async (from: Db, sql: string, params: unknown[] = []) =>
  Number((await from.query(sql, params)).rows[0]![0])
const countFiles = (from: Db) =>
  readNumber(from, `select count(*) from _files where collection = 'sms_messages'`)
const countContents = (from: Db) => readNumber(from, 'select count(*) from _file_contents')
const readRoom = () => readNumber(db, 'select pg_database_size(current_database())')

/** Creates a campaign and waits until its messages are stored. Returns what that took. */
async function measure(user: Client, first: number, more: object) {
  const recipients = Array.from({ length: PEOPLE }, (_, i) => `+4977${first + i}`)
  const [room, began] = [await readRoom(), performance.now()]
  let memory = 0
  const watch = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage().rss)
  }, 100)
  const body = { recipients, body: 'Sale', scheduled_at: LATER, ...more }
  const { id } = await must(user, 'POST', '/api/campaigns', body)
  await until(
    'all messages',
    async () =>
      (await readNumber(db, 'select count(*) from campaigns where id = $1 and settled', [id])) ===
      1,
    300_000,
  )
  clearInterval(watch)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const grown = Math.round(((await readRoom()) - room) / 1e6)
  return { id, seconds, grownMb: grown, memoryMb: Math.round(memory / 1e6) }
}

test('a campaign to 20,000 people stores its picture once, and each person’s end is their own', {
  timeout: 600_000,
}, async () => {
  const { user } = await makeShop()
  const words = await measure(user, 1_000_000, {})
  const sent = await sendForm(user, { recipients: '+4915112345678', body: 'x' }, [
    await makePhoto('iphone'),
  ])
  const [message] = sent.body.message_ids
  const { attachments } = await must(
    user,
    'GET',
    `/api/collections/sms_messages/records/${message}`,
  )
  const attached = { attachments: [`${message}/${attachments[0]}`] }
  const pictures = await measure(user, 2_000_000, attached)
  const bytes = (await must(user, 'GET', '/api/sms/usage')).files.bytes
  console.log(JSON.stringify({ words, pictures, bytes }))
  expect(await countFiles(db)).toBe(PEOPLE + 1)
  expect(await countContents(db)).toBe(1)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThan(310_000)
  expect(pictures.grownMb).toBeLessThan(words.grownMb + 50)

  // one person is erased
  await must(user, 'POST', '/api/person/erase', { number: '+49772000000', reason: 'asked' })
  await until('the erasure', async () => (await countFiles(db)) === PEOPLE)
  expect(await countContents(db)).toBe(1)

  // a restore has the same files
  const file = join(folder, 'all.zip')
  await writeBackup(db, file)
  await restoreBackup(target, file, { replace: async () => {}, afterRestore, resume: true })
  expect(await countFiles(target)).toBe(PEOPLE)
  expect(await readNumber(target, 'select sum(octet_length(bytes)) from _file_chunks')).toBe(bytes)
  const lost =
    'select count(*) from _files f where not exists (select from _file_chunks c where c.content = f.content)'
  expect(await readNumber(target, lost)).toBe(0)

  // the files of all texts are old, and the campaign is deleted
  // as autovacuum does within a minute: until then Postgres finds a brief row by an index of the status
  await db.query('analyze sms_messages_brief')
  await must(user, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    keep_files: 3,
  })
  await db.query(`update sms_messages set created = '2020-01-01 00:00:00.000Z', updated = '2020-01-01 00:00:00.000Z',
    status = 'failed', sent_at = '2020-01-01 00:00:00.000Z' where attachments <> '{}'`)
  while ((await db.transaction((tx) => deleteFiles(tx, 3, [user.id]))) > 0);
  expect(await countFiles(db)).toBe(0)
  await db.query('delete from campaigns where id = $1', [pictures.id])
  expect(await countContents(db)).toBe(0)
  await sweepContents(db)
  expect(await readNumber(db, 'select count(*) from _file_chunks')).toBe(0)
})
