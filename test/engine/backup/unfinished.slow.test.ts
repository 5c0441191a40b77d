import { join } from 'node:path'
import { restoreBackup } from '../../../src/engine/backup/restore.ts'
import { writeBackup } from '../../../src/engine/backup/write.ts'
import { afterRestore } from '../../../src/main/after-restore.ts'
import { runServer } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { type Client, client, withDevices } from '../../support/server/server-with-devices.ts'
import { startServer, testConfig } from '../../support/server/start.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { deliveriesOf, makeWebhook } from '../../support/webhook-fixture.ts'

const REASON = 'Outcome unknown: restored from a backup'
const SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const file = join(temporaryFolder(), 'backup.zip')

/** Ids of messages by what they were doing when the backup was made. */
const ids = { sent: '', sending: '', assigned: '', scheduled: '' }

const sendTo = async (by: Client, body: object, key?: string) => {
  const headers = {
    'content-type': 'application/json',
    authorization: by.token,
    ...(key && { 'idempotency-key': key }),
  }
  const text = JSON.stringify({ recipients: ['+4915112345678'], body: 'Hello.', ...body })
  const answer = await fetch(`${url}/api/sms/send`, { method: 'POST', headers, body: text })
  return (await answer.json()) as { message_ids: string[] }
}
let url: string

const receiver = await startReceiver()
const server = await startServer({ env: SETTINGS })
url = server.url
const fixture = await withDevices(server)
const user = await fixture.makeUser()
const phone = await fixture.pair(user)
await makeWebhook(user, receiver.url)
const report = (id: string, status: string) =>
  phone.call('POST', '/api/devices/report', { items: [{ id, attempt: 1, status }] })
for (const state of ['sent', 'sending', 'assigned'] as const) {
  ids[state] = (await sendTo(user, {}, `key-${state}`)).message_ids[0]!
  if (state !== 'assigned') await phone.call('POST', '/api/devices/claim', { limit: 10 })
  if (state === 'sent') await report(ids.sent, 'sent')
}
const later = new Date(Date.now() + 86_400_000).toISOString()
ids.scheduled = (await sendTo(user, { scheduled_at: later })).message_ids[0]!
const used: unknown = (await user.call('GET', '/api/sms/usage')).body.used
await writeBackup(server.services.store.db, file)
await server.stop()

/** Starts a server on what was restored from the file, asks, and stops it. */
async function restored<T>(
  resume: boolean,
  work: (user: Client, phone: Client) => Promise<T>,
): Promise<T> {
  const server = await runServer(await testConfig(SETTINGS))
  url = server.url
  try {
    const { ended } = await restoreBackup(server.services.store.db, file, {
      replace: async () => {},
      afterRestore,
      resume,
    })
    expect(ended).toBe(resume ? 0 : 3)
    await server.services.store.reload()
    return await work(client(url, user.id, user.token), client(url, phone.id, phone.token))
  } finally {
    await server.stop()
  }
}

const messagesOf = async (by: Client) => {
  const { items } = (await by.call('GET', '/api/collections/sms_messages/records?sort=@rowid')).body
  return Object.fromEntries(
    items.map(({ id, status, error_message }: Record<string, string>) => [
      id,
      [status, error_message],
    ]),
  )
}

test('a restore fails unfinished messages and sends no message again', async () => {
  await restored(false, async (user, phone) => {
    expect(await messagesOf(user)).toEqual({
      [ids.sent]: ['sent', ''],
      [ids.sending]: ['failed', REASON],
      [ids.assigned]: ['failed', REASON],
      [ids.scheduled]: ['failed', REASON],
    })
    expect((await phone.call('POST', '/api/devices/claim', { limit: 10 })).body.items).toEqual([])
    expect((await user.call('GET', '/api/sms/usage')).body.used).toBe(used)
    // a request that is repeated gets its first answer
    expect((await sendTo(user, {}, 'key-assigned')).message_ids).toEqual([ids.assigned])
    const path = `/api/collections/sms_events/records?filter=(message="${ids.sending}")&sort=@rowid`
    const { items } = (await user.call('GET', path)).body
    expect(items.at(-1)).toMatchObject({
      status: 'failed',
      detail: REASON,
      device: phone.id,
      attempt: 1,
    })
    const failed = async () =>
      (await deliveriesOf(user)).filter(({ event }) => event === 'message.failed').length
    await expect.poll(failed).toBe(3)
  })
})

test('a restore with resume continues unfinished messages', async () => {
  await restored(true, async (user, phone) => {
    expect(await messagesOf(user)).toMatchObject({
      [ids.sending]: ['sending', ''],
      [ids.assigned]: ['assigned', ''],
      [ids.scheduled]: ['pending', ''],
    })
    const { items } = (await phone.call('POST', '/api/devices/claim', { limit: 10 })).body
    expect(items.map(({ id }: { id: string }) => id)).toContain(ids.assigned)
  })
})
