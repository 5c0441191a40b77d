import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/platform/config.ts'
import { openEmbedded } from '../../../src/platform/db/embedded/embedded.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { EmbeddedData, makeDatabase } from '../../support/database/embedded-data.ts'
import { openDb } from '../../support/database/open.ts'
import { WAYS } from '../../support/server/replaceable.ts'
import { makeUser, pairDevice, signIn } from '../../support/server/server-with-devices.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { SteadyRequests } from '../../support/server/steady-requests.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'

const PER_SECOND = 1_000
const log = createLogger({ logLevel: 'silent' })

/** A server is replaced under a steady load, in each way, with its own Postgres and with another one. */
export const replaced: Scenario = {
  name: 'replaced',
  what: `a server is replaced under ${PER_SECOND} requests a second, by the parent of workers or by systemd; needs systemd-socket-activate`,
  rounds: 10,
  async run(context) {
    const faults: string[] = []
    for (const way of Object.keys(WAYS))
      for (const isOwn of [true, false]) {
        const name = `${way}, ${isOwn ? 'its own' : 'another'} Postgres`
        const outcome = await replaceUnderLoad(context, way, isOwn)
        context.say(`${name}: ${outcome.figures}, ${outcome.faults.length} faults`)
        faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`))
      }
    return { faults, figures: `${Object.keys(WAYS).length * 2} kinds of replacements` }
  },
}

async function replaceUnderLoad(
  { rounds }: ScenarioContext,
  way: string,
  isOwn: boolean,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-replaced-'))
  const data = new EmbeddedData(join(folder, 'data'))
  const other = isOwn ? undefined : await openEmbedded(join(folder, 'other'), log)
  const env = other
    ? { DATABASE_URL: other.url, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' }
    : data.env
  makeDatabase(env)
  const server = await WAYS[way]!(env)
  try {
    const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    const user = await makeUser(server.url, root)
    await pairDevice(server.url, user)
    const requests = new SteadyRequests({ url: server.url, user, perSecond: PER_SECOND })
    const beganMs = performance.now()
    for (let round = 0; round < rounds; round++) await server.replace()
    await requests.stop()
    const seconds = (performance.now() - beganMs) / 1_000
    const stored = await countTexts(other?.url ?? data.url, user.id)
    return {
      faults: [
        ...[...requests.faults].map(([fault, times]) => `${times} times ${fault}`),
        ...(stored === requests.accepted
          ? []
          : [`${requests.accepted} texts were accepted, ${stored} are stored`]),
      ],
      figures: `${Math.round(requests.answered / seconds)} answers a second, ${stored} texts, the slowest answer after ${Math.round(requests.slowestMs)} ms`,
    }
  } finally {
    await server.stop()
    await other?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many texts of an account are stored. A text that was stored twice counts twice. */
async function countTexts(url: string, user: string): Promise<number> {
  const config = readConfig({ DATABASE_URL: url })
  const db = await openDb(config, log)
  const { rows } = await db.query('select count(*) from sms_messages where "user" = $1', [user])
  await db.close()
  return Number(rows[0]![0])
}
