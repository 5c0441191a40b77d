import { upsertSuperuser } from '../../src/engine/auth/superusers.ts'
import { createLogger } from '../../src/platform/log.ts'
import { openDb, runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { client, must, withDevices } from '../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../support/server/start.ts'
import { makeBreakableProxy } from '../support/services/breakable-proxy.ts'
import { TRIES_ALL } from '../support/tries-all.ts'
import { until } from '../support/until.ts'
import { eachWay } from './each-way.ts'
import {
  finishJobs,
  handOut,
  isAccepted,
  nextNumber,
  nextWords,
  openCrossings,
  type Place,
  SETTINGS,
  type Shop,
  type Text,
  textsTo,
  type Way,
} from './ways-in.ts'

// A server is killed while texts by all ways get in, each time at another step, and once right after the
// last answer. A text that was answered for leaves, once, at the next server. Of a text without an answer
// nothing is stored or all, and its client repeats the request.

/** How many times the server is killed by night: each time after more answers of its database. */
const ROUNDS = 10
/** The kills after the first round. A landing has the earliest, two between and the last. */
const KILLS = TRIES_ALL ? Array.from({ length: ROUNDS }, (_, i) => i + 1) : [1, 4, 7, ROUNDS]

/** The sessions of the killed server: those of the test have another name. */
const ITS_SESSIONS = `select 1 from pg_stat_activity
  where datname = current_database() and application_name = 'pocketsms server'`

const smtpPort = await freePort()
const env = {
  ...SETTINGS,
  HOST: '127.0.0.1',
  PORT: String(await freePort()),
  SMTP_PORT: String(smtpPort),
}
const config = await testConfig(env, 'prepared')

/** A way, at an account of its own. */
interface Cell {
  readonly title: string
  readonly way: Way
  readonly shop: Shop
  /** A client that repeats its request sends one text. */
  readonly isRepeatable: boolean
}

const byKey = new Set(eachWay('onceByKey').map(({ title }) => title))

/** The shop and its phone, at a server that runs now. */
const moveTo = (url: string, { user, phone, ...shop }: Shop): Shop => ({
  ...shop,
  user: { ...client(url, user.id, user.token), email: user.email },
  phone: client(url, phone.id, phone.token),
})

/** Sends the text of a cell. False if there was no answer, as the server was killed. */
const send = ({ way, shop }: Cell, at: Place, text: Text): Promise<boolean> =>
  way.send(at, moveTo(at.url, shop), text).then(isAccepted, () => false)

test('every way keeps its promise when the server is killed between any two of its steps', {
  timeout: 400_000,
}, async () => {
  const first = await runServer(config, createLogger(config))
  await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
  const before = await openCrossings(await withDevices(first), smtpPort)
  const cells: Cell[] = []
  for (const { title, way } of eachWay('killed'))
    cells.push({
      title,
      way,
      shop: await before.makeShop(),
      isRepeatable: byKey.has(title) || way.hasLeft === true,
    })
  await first.stop()

  const db = await openDb(config, createLogger(config))
  onTestFinished(() => db.close())
  const query = async (sql: string, params?: unknown[]) => (await db.query(sql, params)).rows
  let pid = 0
  let seen = 0
  let killedAt = Number.POSITIVE_INFINITY
  const isKilled = () => {
    if (++seen !== killedAt) return false
    process.kill(pid, 'SIGKILL')
    return true
  }
  const proxy = await makeBreakableProxy(config.databaseUrl!, isKilled)
  await proxy.connect()
  onTestFinished(proxy.disconnect)
  const start = async () => {
    const program = await serve({ ...env, DATABASE_URL: proxy.url, LOG_LEVEL: 'error' })
    onTestFinished(program.stop)
    pid = program.pid
    return { ...program, at: { ...before, url: program.url, query } satisfies Place }
  }

  /** What did not keep its promise after a text of each cell, by its title. */
  const lookAfter = (at: Place, texts: readonly Text[], answered: readonly boolean[]) =>
    Promise.all(
      cells.map(async (cell, i) => {
        const shop = moveTo(at.url, cell.shop)
        const text = texts[i]!
        const isRepeated = !answered[i] && cell.isRepeatable
        if (isRepeated && !(await send(cell, at, text))) return [`${cell.title}: not repeated`]
        if (answered[i] || isRepeated)
          await expect
            .poll(async () => (await textsTo(at, shop, text.to)).length, { timeout: 60_000 })
            .toBeGreaterThan(0)
        await finishJobs(at, shop)
        const stored = (await textsTo(at, shop, text.to)).map(({ id }) => id)
        const left = (await handOut(at, shop)).filter(({ to }) => to === text.to)
        const sent = left.map(({ id, attempt }) => ({ id, attempt, status: 'sent' }))
        if (sent.length > 0) await must(shop.phone, 'POST', '/api/devices/report', { items: sent })
        const due = cell.way.hasLeft ? [] : stored
        const isOnce =
          stored.length < 2 && JSON.stringify(left.map(({ id }) => id)) === JSON.stringify(due)
        return isOnce ? [] : [`${cell.title}: ${stored.length} stored, ${left.length} left`]
      }),
    )

  let running = await start()
  const unanswered = new Set<string>()
  const wrong: unknown[] = []
  let steps = 0
  for (const round of [0, ...KILLS]) {
    const typedAt = new Date().toISOString()
    const texts = cells.map(() => ({
      to: nextNumber(),
      words: nextWords(),
      key: crypto.randomUUID(),
      typedAt,
    }))
    seen = 0
    if (round > 0) killedAt = Math.ceil(steps * (round / ROUNDS) ** 2)
    const answered = await Promise.all(cells.map((cell, i) => send(cell, running.at, texts[i]!)))
    steps ||= seen
    if (round > 0 && answered.every(Boolean)) process.kill(pid, 'SIGKILL')
    if (round > 0) {
      for (const [i, { title }] of cells.entries()) if (!answered[i]) unanswered.add(title)
      await running.stop()
      // a statement that the server had sent goes on without it, and may store a text late
      await until('the end of its sessions', async () => (await query(ITS_SESSIONS)).length === 0)
      // the leases of the jobs of the dead server end
      await query(`update _jobs set due_at = now() where due_at < now() + interval '41 seconds'`)
      killedAt = Number.POSITIVE_INFINITY
      running = await start()
    }
    wrong.push(...(await lookAfter(running.at, texts, answered)).flat().map((one) => [round, one]))
  }
  expect(wrong).toEqual([])
  // each way was cut off at least once
  expect([...unanswered].sort()).toEqual(cells.map(({ title }) => title).sort())
})
