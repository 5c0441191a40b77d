import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import sharp from 'sharp'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { type Client, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { joinPhone, records, restart, until } from '../../support/smsgate/smsgate-fixture.ts'

const PICTURES = 5
const KILLS = 12
/** Pictures of different sizes, by the number of the text. */
const pictures = await Promise.all(
  Array.from({ length: 7 }, (_, i) =>
    sharp({ create: { width: 64 + 32 * i, height: 64, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer(),
  ),
)
const pictureOf = (i: number) => pictures[i % pictures.length]!

const numberOf = (i: number) => `+4915${10_000_000 + i}`

async function sendPicture(url: string, user: Client, i: number): Promise<void> {
  const form = new FormData()
  form.append('recipients', numberOf(i))
  form.append('body', 'Your parcel')
  form.append('client_ref', `parcel ${i}`)
  form.append('attachments', new Blob([new Uint8Array(pictureOf(i))]), 'parcel.jpg')
  const headers = { authorization: user.token }
  // a connection of the database may have ended meanwhile: the client_ref keeps it from being sent twice
  await until(async () => {
    const answer = await fetch(`${url}/api/sms/send`, { method: 'POST', headers, body: form })
    if (answer.status !== 200 && answer.status < 500) throw new Error(await answer.text())
    return answer.status === 200
  })
}

test('a phone sends each picture once while server, app and database are killed', {
  timeout: 300_000,
}, async () => {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const env = { HOST: '127.0.0.1', PORT: port, PUBLIC_URL: url }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const user = await (await withDevices(first)).makeUser()
  const site = { mobileUrl: `${url}/api/mobile/v1` }
  let phone = await joinPhone(site, user, { version: '1.75.0' })
  const old = await joinPhone(site, user, { version: '1.70.4' })
  await first.stop()
  const serveAgain = () => serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })
  let server = await serveAgain()
  phone.start()
  old.start()
  await until(async () => {
    const lines = (await user.call('GET', '/api/collections/lines/records')).body.items
    return lines.some(({ mms }: { mms: string }) => mms === 'on')
  })
  const database = new pg.Client(config.databaseUrl)
  await database.connect()
  let sent = 0
  for (let kills = 0; kills < KILLS; kills++) {
    for (let i = 0; i < PICTURES; i++) await sendPicture(url, user, sent++)
    await sleep(Math.random() * 600)
    if (kills % 3 === 0) {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      server = await serveAgain()
    } else if (kills % 3 === 1) phone = restart(phone)
    else {
      // every connection of the server's to its database
      const { rowCount } =
        await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      expect(rowCount).toBeGreaterThan(0)
    }
  }
  await until(async () => (await records(user, 'status = "sent"')).length === sent, 200_000)
  phone.kill()
  old.kill()
  const air = phone.store.onAir()
  expect(new Set(pictures.map(({ length }) => length)).size).toBe(pictures.length)
  const left = air.map(({ to, pictures: sizes }) => `${to} ${sizes}`).toSorted()
  expect(left).toEqual(
    Array.from({ length: sent }, (_, i) => `${numberOf(i)} ${pictureOf(i).length}`),
  )
  expect(old.store.onAir()).toEqual([])
  await database.end()
  await server.stop()
})
