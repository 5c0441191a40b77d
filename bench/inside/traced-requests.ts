import { randomUUID } from 'node:crypto'
import { startPostgres } from '../../test/support/database/postgres.ts'
import {
  type Client,
  makeUser,
  must,
  pairDevice,
  signIn,
} from '../../test/support/server/server-with-devices.ts'
import { ask } from '../contender.ts'
import { type Entry, noteEntries } from './note-entries.ts'

const ROOT = { email: 'root@example.com', password: 'rootpass12345' }
/** Some requests do periodic work, too: of these, the request with the fewest calls counts. */
const [WARM, TRIES] = [30, 15]

/** What a request enters once caches are warm, in order. `source`: the URL of an instrumented `src`. */
export async function traceRequests(
  source: string,
  print: (request: string, entries: readonly Entry[]) => void,
): Promise<void> {
  const [{ runServer }, { readConfig }, { upsertSuperuser }] = await Promise.all(
    ['main/run-server.ts', 'platform/config.ts', 'engine/auth/superusers.ts'].map(
      (file) => import(source + file),
    ),
  )
  const postgres = await startPostgres()
  const server = await runServer(
    readConfig({ DATABASE_URL: postgres.url, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error' }),
  )
  try {
    await upsertSuperuser(server.services.store.forEverybody('trace'), ROOT.email, ROOT.password)
    const root = await signIn(server.url, '_superusers', ROOT.email, ROOT.password)
    for (const [name, { prepare, run }] of Object.entries(await requestsOf(server.url, root))) {
      let least: readonly Entry[] | undefined
      for (let i = 0; i < WARM + TRIES; i++) {
        await prepare?.()
        const entries = await noteEntries(run)
        if (i >= WARM && (!least || entries.length < least.length)) least = entries
      }
      print(name, least!)
    }
  } finally {
    await server.stop()
    await postgres.stop()
  }
}

interface Traced {
  /** What a request needs beforehand, which is not traced. */
  readonly prepare?: () => Promise<unknown>
  readonly run: () => Promise<unknown>
}

/** The requests by name. */
async function requestsOf(url: string, root: Client): Promise<Record<string, Traced>> {
  const user = await makeUser(url, root)
  const device = await pairDevice(url, user)
  const { token } = user
  const messages = `${url}/api/collections/sms_messages/records`
  const filter = encodeURIComponent(
    '(status = "assigned" || status = "sent") && to ~ "77" && created > "2020-01-01"',
  )
  const group = () => ({ user: user.id, name: randomUUID() })
  const text = { recipients: ['+4915112345677'], body: 'Hello' }
  const send = () => ask<{ message_ids: string[] }>(`${url}/api/sms/send`, { token, body: text })
  const { message_ids } = await send()
  let claimed: { id: string; attempt: number }[] = []
  const claim = async () => {
    const { items } = await must(device, 'POST', '/api/devices/claim', { limit: 1, mms: true })
    claimed = items
  }
  const report = () =>
    must(device, 'POST', '/api/devices/report', {
      items: claimed.map(({ id, attempt }) => ({ id, attempt, status: 'sent' })),
    })
  const clear = async () => {
    for (await claim(); claimed.length > 0; await claim()) await report()
  }
  return {
    view: { run: () => ask(`${messages}/${message_ids[0]}`, { token }) },
    list: { run: () => ask(`${messages}?filter=${filter}&sort=-created`, { token }) },
    create: {
      run: () => ask(`${url}/api/collections/contact_groups/records`, { token, body: group() }),
    },
    send: { run: send },
    claim: { prepare: async () => [await clear(), await send()], run: claim },
    report: { prepare: async () => [await clear(), await send(), await claim()], run: report },
  }
}
