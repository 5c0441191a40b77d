import { randomUUID } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../test/support/database/postgres.ts'
import {
  type Client,
  makeUser,
  pairDevice,
  signIn,
} from '../../test/support/server/server-with-devices.ts'
import { ask } from '../contender.ts'

const USAGE = `npx node bench/inside/trace.ts [--of FOLDER] [--calls REQUEST]
How many files, functions and calls of src one request needs once caches are warm: view, list, create, send.
  --of FOLDER       another checkout instead of this one
  --calls REQUEST   also lists the functions of this request, by file
`
const HOME = fileURLToPath(new URL('../..', import.meta.url))
const ROOT = { email: 'root@example.com', password: 'rootpass12345' }
/** Periodic work runs beside some requests: the request with the fewest calls counts. */
const [WARM, TRIES] = [30, 15]

interface Trace {
  /** Calls by file below src and by function. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly total: number
}

/** Counts what runs meanwhile. V8 forgets its counts whenever it is asked for them. */
async function trace(
  session: Session,
  source: string,
  run: () => Promise<unknown>,
): Promise<Trace> {
  await session.post('Profiler.takePreciseCoverage')
  await run()
  await turn()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const calls = new Map<string, Map<string, number>>()
  let total = 0
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue
    const counted = new Map<string, number>()
    for (const { functionName, ranges } of functions) {
      const { count, startOffset } = ranges[0]!
      if (count > 0) counted.set(`${functionName || 'anonymous'}@${startOffset}`, count)
      total += count
    }
    if (counted.size > 0) calls.set(url.slice(source.length), counted)
  }
  return { calls, total }
}

const functionsOf = ({ calls }: Trace): number =>
  [...calls.values()].reduce((sum, { size }) => sum + size, 0)

/** The requests by name. */
async function requestsOf(
  url: string,
  root: Client,
): Promise<Record<string, () => Promise<unknown>>> {
  const user = await makeUser(url, root)
  await pairDevice(url, user)
  const { token } = user
  const messages = `${url}/api/collections/sms_messages/records`
  const filter = encodeURIComponent(
    '(status = "assigned" || status = "sent") && to ~ "77" && created > "2020-01-01"',
  )
  const group = () => ({ user: user.id, name: randomUUID() })
  const text = { recipients: ['+4915112345677'], body: 'Hello' }
  const send = () => ask<{ message_ids: string[] }>(`${url}/api/sms/send`, { token, body: text })
  const { message_ids } = await send()
  return {
    view: () => ask(`${messages}/${message_ids[0]}`, { token }),
    list: () => ask(`${messages}?filter=${filter}&sort=-created`, { token }),
    create: () => ask(`${url}/api/collections/contact_groups/records`, { token, body: group() }),
    send,
  }
}

async function main(home: string, listed: string | undefined): Promise<void> {
  const source = `${pathToFileURL(resolve(home)).href}/src/`
  const [{ runServer }, { readConfig }, { upsertSuperuser }] = await Promise.all(
    ['main/run-server.ts', 'platform/config.ts', 'engine/auth/superusers.ts'].map(
      (file) => import(source + file),
    ),
  )
  const postgres = await startPostgres()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const server = await runServer(
    readConfig({ DATABASE_URL: postgres.url, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error' }),
  )
  try {
    await upsertSuperuser(server.services.store.forEverybody('trace'), ROOT.email, ROOT.password)
    const root = await signIn(server.url, '_superusers', ROOT.email, ROOT.password)
    console.log('| request | files | functions | calls |\n|---|---|---|---|')
    for (const [name, request] of Object.entries(await requestsOf(server.url, root))) {
      for (let i = 0; i < WARM; i++) await request()
      let least = await trace(session, source, request)
      for (let i = 1; i < TRIES; i++) {
        const other = await trace(session, source, request)
        if (other.total < least.total) least = other
      }
      console.log(`| ${name} | ${least.calls.size} | ${functionsOf(least)} | ${least.total} |`)
      if (name === listed)
        for (const [file, counted] of least.calls)
          console.log(
            `  ${file}: ${[...counted].map(([called, count]) => `${called} ${count}`).join(', ')}`,
          )
    }
  } finally {
    await server.stop()
    session.disconnect()
    await postgres.stop()
  }
}

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: HOME },
    calls: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) process.stdout.write(USAGE)
else await main(values.of, values.calls)
