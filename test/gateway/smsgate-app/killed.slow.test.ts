import { setTimeout as sleep } from 'node:timers/promises'
import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { joinPhone, records, send, until } from '../../support/smsgate/smsgate-fixture.ts'

const VERSIONS = ['1.68.0', '1.70.4', '1.75.0']
const TEXTS = 15
const KILLS = 3

test('phones with any version of the app send each text once while the server is killed', {
  timeout: 300_000,
}, async () => {
  const port = String(await freePort())
  const env = { HOST: '127.0.0.1', PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` }
  const config = await testConfig(env, 'prepared')
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const user = await (await withDevices(first)).makeUser()
  const site = { mobileUrl: `${env.PUBLIC_URL}/api/mobile/v1` }
  const phones = await Promise.all(
    VERSIONS.map((version) => joinPhone(site, user, { version, callMs: () => 40 })),
  )
  await send(user, TEXTS)
  await first.stop()
  const serveAgain = () => serve({ ...env, DATABASE_URL: config.databaseUrl!, LOG_LEVEL: 'error' })

  let server = await serveAgain()
  for (const phone of phones) phone.start()
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(1_500)
    process.kill(server.pid, 'SIGKILL')
    await server.stop()
    server = await serveAgain()
    await send(user, TEXTS)
  }
  const count = (KILLS + 1) * TEXTS
  await until(async () => (await records(user, 'status = "delivered"')).length === count, 200_000)
  for (const phone of phones) phone.kill()
  const ids = phones.flatMap((phone) => phone.store.onAir().map(({ id }) => id.split('.')[0]))
  expect(ids.length).toBe(count)
  expect(new Set(ids).size).toBe(count)
})
