import { setTimeout as sleep } from 'node:timers/promises'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import type { Phone } from '../../support/smsgate/smsgate-app.ts'
import { joinPhone, records, send, until } from '../../support/smsgate/smsgate-fixture.ts'
import { isInWorkHours } from '../../support/smsgate/work-hours.ts'

// A phone outside its work hours keeps its texts and says that they are pending.

const BERLIN = 'Europe/Berlin'

test.each([
  ['2026-01-15T07:59:00Z', '09:00', '19:00', false],
  ['2026-01-15T08:00:00Z', '09:00', '19:00', true],
  // summer time begins on 29 March, and ends on 25 October
  ['2026-03-29T07:00:00Z', '09:00', '19:00', true],
  ['2026-10-25T07:00:00Z', '09:00', '19:00', false],
  ['2026-10-25T08:00:00Z', '09:00', '19:00', true],
  ['2026-01-15T21:00:00Z', '22:00', '06:00', true],
  ['2026-01-16T04:59:00Z', '22:00', '06:00', true],
  ['2026-01-16T05:00:00Z', '22:00', '06:00', false],
  ['2026-01-16T05:00:00Z', '09:00', '09:00', true],
])('at %s the simulated app sends from %s to %s: %s', (at, start, end, isAtWork) => {
  expect(isInWorkHours(Date.parse(at), { start, end, zone: BERLIN })).toBe(isAtWork)
})

const LEASE_SECONDS = '8'

/** A server that can be killed, and its phones; two of them keep work hours. */
async function startNight() {
  const port = String(await freePort())
  const env = {
    HOST: '127.0.0.1',
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LEASE_SECONDS,
  }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const user = await (await withDevices(first)).makeUser()
  const site = { mobileUrl: `${env.PUBLIC_URL}/api/mobile/v1` }
  let now = Date.parse('2026-01-15T21:00:00Z')
  const join = (start: string, end: string) =>
    joinPhone(site, user, {
      version: '1.75.0',
      isAtWork: () => isInWorkHours(now, { start, end, zone: BERLIN }),
    })
  const phones = [
    await join('09:00', '19:00'),
    await join('06:00', '20:00'),
    await join('20:00', '08:00'),
  ]
  await first.stop()
  const serveAgain = () => serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })
  let server = await serveAgain()
  return {
    user,
    phones,
    async kill() {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      server = await serveAgain()
    },
    letMorningCome() {
      now = Date.parse('2026-01-16T08:30:00Z')
    },
  }
}

const idOf = (phone: Phone) => phone.store.registration!.id
const onAir = (phones: readonly Phone[]) =>
  phones.flatMap((phone) => phone.store.onAir().map(({ id }) => id.split('.')[0]!))

test('texts leave phones outside their work hours, or wait there and say so, while the server is killed', {
  timeout: 600_000,
}, async () => {
  const { user, phones, kill, letMorningCome } = await startNight()
  const [early, late, night] = phones as [Phone, Phone, Phone]
  for (const phone of phones) phone.start()
  const free = await send(user, 12)
  const named = await send(user, 3, { device_id: idOf(early) })
  await sleep(3_000)
  await kill()
  const delivered = async () => (await records(user, 'status = "delivered"')).map(({ id }) => id)
  const isMoved = async () => (await delivered()).length === free.length
  await until(isMoved, 200_000)
  expect((await delivered()).toSorted()).toEqual(free.toSorted())
  await until(async () => (await records(user, 'waiting_for = "phone"')).length === named.length)
  expect((await records(user, 'waiting_for = "phone"')).map(({ status }) => status)).toEqual(
    named.map(() => 'sending'),
  )
  await kill()

  const code = await send(user, 1, { device_id: idOf(early), priority: 127 })
  const urgent = await send(user, 1, { device_id: idOf(late), priority: 100 })
  await until(async () => (await delivered()).length === free.length + 2, 120_000)
  expect(onAir([early])).toEqual(code)
  expect(onAir([late])).toEqual(urgent)

  letMorningCome()
  const count = free.length + named.length + 2
  await until(async () => (await delivered()).length === count, 200_000)
  for (const phone of phones) phone.kill()
  expect(await records(user, 'status = "failed" || waiting_for != ""')).toEqual([])
  expect(onAir(phones).toSorted()).toEqual([...free, ...named, ...code, ...urgent].toSorted())
  expect(onAir([night])).toHaveLength(free.length)
})
