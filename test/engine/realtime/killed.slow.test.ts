import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedData } from '../../support/database/embedded-data.ts'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { serve } from '../../support/server/program.ts'
import { makeUser, must, signIn } from '../../support/server/server-with-devices.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { stopLater } from '../../support/stops.ts'
import { TestListener } from './test-listener.ts'

/** Longer than a node takes to renew its registration. */
const STAY_MS = 15_000

test('a stream ends once when Postgres or one of its processes is killed, and the next stream stays and misses no change', {
  timeout: 180_000,
}, async () => {
  const data = new EmbeddedData(join(temporaryFolder(), 'data'))
  stopLater(() => data.stop())
  data.make()
  const env = { ...data.env, HOST: '127.0.0.1', PORT: String(await freePort()) }
  const { url } = await serve(env)
  const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const user = await makeUser(url, root)
  let ear = await TestListener.on(url, user.token, 'contacts')
  for (const victim of [0, 1]) {
    process.kill(data.processes()[victim]!, 'SIGKILL')
    await ear.ended
    ear = await TestListener.on(url, user.token, 'contacts')
    const wasEnded = await Promise.race([ear.ended.then(() => true), sleep(STAY_MS, false)])
    expect(wasEnded).toBe(false)
    await must(user, 'POST', '/api/collections/contacts/records', {
      user: user.id,
      phone: `+491511234567${victim}`,
    })
    expect(await ear.next(1)).toMatchObject([{ data: { action: 'create' } }])
  }
})
