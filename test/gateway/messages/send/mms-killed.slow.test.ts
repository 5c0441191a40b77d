import { upsertSuperuser } from '../../../../src/engine/auth/superusers.ts'
import { sweepContents } from '../../../../src/engine/files/file-contents.ts'
import { createLogger } from '../../../../src/platform/log.ts'
import { openDb, runServer } from '../../../support/database/open.ts'
import { freePort } from '../../../support/database/postgres.ts'
import { serve } from '../../../support/server/program.ts'
import { client, must, withDevices } from '../../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../../support/server/start.ts'
import { makeBreakableProxy } from '../../../support/services/breakable-proxy.ts'
import { until } from '../../../support/until.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// A picture that an account sends, keeps in templates and deletes at two servers at the same time. In each
// round one of them is killed, or loses a connection to its database, at another step of the work.

const ROUNDS = 8
const NUMBERS = Array.from({ length: 5 }, (_, i) => `+49151123456${10 + i}`)

/** Files that a record names and that are not whole, and files that no record names. */
const FAULTS = `with named as (
    select 'sms_messages' as collection, id, unnest(attachments) as name from sms_messages union all
    select 'campaigns', id, unnest(attachments) from campaigns union all
    select 'sms_templates', id, unnest(attachments) from sms_templates)
  select (select count(*) from named n where not exists (select from _files f
      where (f.collection, f.record, f.name) = (n.collection, n.id, n.name)
        and f.size = (select sum(length(c.bytes)) from _file_chunks c where c.content = f.content))),
    (select count(*) from _files f where not exists (select from named n
      where (f.collection, f.record, f.name) = (n.collection, n.id, n.name)))`

test('a picture that messages share is whole, and ends with the last of them, at each step at which a server is killed or cut off', {
  timeout: 240_000,
}, async () => {
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()) }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const fixture = await withDevices(first)
  const { user } = await openMmsServer(fixture).makeShop()
  await first.stop()

  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  const read = async (sql: string) => (await db.query(sql)).rows.map((row) => row.map(String))
  let pid = 0
  let seen = 0
  let breaksAt = Number.POSITIVE_INFINITY
  let isKill = false
  const breaks = () => {
    if (++seen !== breaksAt) return false
    if (isKill) process.kill(pid, 'SIGKILL')
    return true
  }
  const proxy = await makeBreakableProxy(config.databaseUrl!, breaks)
  await proxy.connect()
  onTestFinished(proxy.disconnect)
  const start = async (databaseUrl: string, port = env.PORT) => {
    const program = await serve({
      ...env,
      PORT: port,
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'silent',
    })
    onTestFinished(program.stop)
    return program
  }
  const beside = await start(config.databaseUrl!, String(await freePort()))
  let broken = await start(proxy.url)
  pid = broken.pid

  const send = (url: string, path: string, fields: Record<string, string | readonly string[]>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) form.append(name, one as string)
    form.append('attachments', new Blob([new Uint8Array(SMALL)]), 'menu.jpg')
    return fetch(url + path, {
      method: 'POST',
      headers: { authorization: user.token },
      body: form,
    }).then(({ status }) => status)
  }
  /** Stores the picture in all ways, and deletes the records `old`, at a server. */
  const work = (url: string, old: readonly (readonly string[])[]) => [
    send(url, '/api/sms/send', { recipients: NUMBERS, body: 'x' }),
    send(url, '/api/campaigns', { recipients: NUMBERS, body: 'x', hold_seconds: '0' }),
    send(url, '/api/collections/sms_templates/records', { user: user.id, name: 'x', body: 'x' }),
    ...old.map(([collection, id]) =>
      client(url, user.id, user.token)
        .call('DELETE', `/api/collections/${collection}/records/${id}`)
        .then(({ status }) => status),
    ),
  ]
  const listRecords = () =>
    read(`select 'sms_messages', id from sms_messages where attachments <> '{}'
      union all select 'sms_templates', id from sms_templates`)

  const faults: unknown[] = []
  let steps = 0
  let unanswered = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const old = await listRecords()
    isKill = round % 2 === 1
    seen = 0
    if (round > 0) breaksAt = Math.ceil((steps * round) / ROUNDS)
    const half = Math.ceil(old.length / 2)
    const asked = [
      ...work(broken.url, old.slice(0, half)),
      ...work(beside.url, old.slice(half)),
    ].map((answer) => answer.catch(() => 0))
    const statuses = await Promise.all(asked)
    steps ||= seen
    unanswered += statuses.filter((status) => status === 0 || status >= 500).length
    breaksAt = Number.POSITIVE_INFINITY
    if (broken.hasEnded() || isKill) {
      await broken.stop()
      broken = await start(proxy.url)
      pid = broken.pid
    }
    faults.push(...(await read(FAULTS)).filter((row) => row.join() !== '0,0'))
  }
  expect(faults).toEqual([])
  expect(unanswered).toBeGreaterThan(0)
  expect(await read('select count(*) > 0 from _file_contents')).toEqual([['true']])

  // both delete all of it
  await read(`update _jobs set due_at = now() where due_at < now() + interval '41 seconds'`)
  await until('the campaigns', async () =>
    (await read(`select count(*) from campaigns where not settled`)).every(([n]) => n === '0'),
  )
  await read(`update campaigns set status = 'done'`)
  const urls = [broken.url, beside.url]
  const rest = [...(await listRecords()), ...(await read(`select 'campaigns', id from campaigns`))]
  await Promise.all(
    rest.map(([collection, id], i) =>
      must(
        client(urls[i % 2]!, user.id, user.token),
        'DELETE',
        `/api/collections/${collection}/records/${id}`,
      ),
    ),
  )
  await sweepContents(db)
  expect(
    await read('select (select count(*) from _files), (select count(*) from _file_contents)'),
  ).toEqual([['0', '0']])
})
