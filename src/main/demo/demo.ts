import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { upsertSuperuser } from '../../engine/auth/superusers.ts'
import type { CatalogStore } from '../../engine/collections/catalog-store.ts'
import { findFreePort, requireFreePort } from '../../http/server/free-port.ts'
import { type Config, isLoopback, readConfig } from '../../platform/config.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { onStopSignal } from '../../platform/tools/stop-signal.ts'
import { runAgent } from '../../programs/agent/run-agent.ts'
import {
  DEMO_CONTACTS,
  type DemoApi,
  type DemoData,
  ensureRecord,
  ensureUser,
  pairPhones,
  setUpDemoData,
  signIn,
  USER_EMAIL,
} from './demo-data.ts'
import { fillInbox } from './inbox.ts'
import { printDemoLine, printDetail, printStep } from './print-demo.ts'
import { showTexts } from './texts.ts'

const SUPERUSER_EMAIL = 'demo-admin@example.com'

interface RunningServer {
  readonly url: string
  readonly services: { readonly config: Config; readonly store: CatalogStore }
  stop(): Promise<void>
}
type Start = (config: Config) => Promise<RunningServer>

/** Default settings of the demo: few logs, and its own folder, so that a real server later starts empty. */
const DEFAULTS = { DATA_DIR: './data/demo', LOG_LEVEL: 'warn' }

/** Whether no other computer reaches the server, directly or through a proxy. */
const isOnlyHere = ({ host, publicUrl }: Config): boolean =>
  [publicUrl, `http://${host.includes(':') ? `[${host}]` : host}`].every(isLoopback)

/**
 * Starts the demo's server, on PORT if set, or on the next free port. If only this computer reaches it, it
 * calls webhooks at localhost, so that you can try one.
 */
async function startServer(start: Start): Promise<RunningServer> {
  const asked = readConfig({ ...DEFAULTS, ...process.env })
  if (process.env.PORT) await requireFreePort(asked)
  const port = process.env.PORT ? asked.port : await findFreePort(asked.port, asked.host)
  const local = isOnlyHere(asked) ? { WEBHOOK_ALLOW_PRIVATE: 'true' } : {}
  const config = readConfig({ ...DEFAULTS, ...local, ...process.env, PORT: String(port) })
  const where = config.databaseUrl ? 'Postgres' : config.dataDir
  printStep(`Starting the server; its data is in ${where}.`)
  const server = await start(config)
  printDetail(`It listens on ${server.url}`)
  return server
}

interface Secrets {
  readonly password: string
  readonly adminPassword: string
  readonly key?: string
}

const findSecretsFile = (folder: string) => join(folder, 'passwords.json')

/** The passwords and API key of an earlier run, or new passwords: browsers remember a sign-in. */
function readOrMakeSecrets(folder: string): Secrets {
  const file = findSecretsFile(folder)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  return { password: makeRandomText(12), adminPassword: makeRandomText(12) }
}

function keepSecrets(folder: string, secrets: Secrets): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(findSecretsFile(folder), JSON.stringify(secrets), { mode: 0o600 })
}

async function makeDemoDesk(server: RunningServer) {
  const { dataDir } = server.services.config
  const secrets = readOrMakeSecrets(dataDir)
  const { password, adminPassword } = secrets
  keepSecrets(dataDir, secrets)
  await upsertSuperuser(
    server.services.store.forEverybody('command'),
    SUPERUSER_EMAIL,
    adminPassword,
  )
  const { api: superuser } = await signIn(server.url, '_superusers', SUPERUSER_EMAIL, adminPassword)
  const desk = await setUpDemoData(superuser, password, secrets.key)
  keepSecrets(dataDir, { ...secrets, key: desk.key })
  await makeTeam(superuser, desk.id, password)
  printStep(
    `A user, ${USER_EMAIL}, with an API key, a template and ${DEMO_CONTACTS.length} contacts.`,
  )
  for (const { name, phone } of DEMO_CONTACTS) printDetail(`${name.padEnd(12)} ${phone}`)
  printDetail(`Their team: ${COLLEAGUES.map(({ name, role }) => `${name} (${role})`).join(', ')}`)
  return { desk, password, adminPassword }
}

async function startPhones(server: RunningServer, desk: DemoData, ended: AbortSignal) {
  const folder = join(server.services.config.dataDir, 'phones')
  mkdirSync(folder, { recursive: true })
  const phones = await pairPhones(desk.user, folder)
  printStep('Two simulated phones, paired by a code each. They send no real texts.')
  for (const { name, number } of phones) printDetail(`${name.padEnd(8)} ${number}`)
  const running = phones.map(({ stateFile, simulator }) =>
    runAgent(stateFile, simulator, () => {}, ended),
  )
  return { phones, done: Promise.all(running) }
}

function printNextSteps(
  url: string,
  desk: DemoData,
  password: string,
  adminPassword: string,
): void {
  printStep(
    'Done. The server and its phones run until you press Ctrl-C. Try these in another terminal:',
  )
  printDemoLine(`
curl ${url}/api/sms/send -H 'X-API-Key: ${desk.key}' \\
  -H 'Content-Type: application/json' -d '{"recipients":["${DEMO_CONTACTS[0].phone}"],"body":"Hello again"}'

npm install --no-save pocketbase   # not needed in a clone
node --input-type=module -e "
import PocketBase from 'pocketbase'
const pb = new PocketBase('${url}')
await pb.collection('users').authWithPassword('${USER_EMAIL}', '${password}')
const page = await pb.collection('sms_messages').getList(1, 5, { sort: '-created', expand: 'device' })
const who = (m) => (m.message_type === 'incoming' ? 'from ' + m.from : 'to ' + m.to)
console.table(page.items.map((m) => [m.created, who(m), m.status, m.body]))
"

Open ${url}, sign in as ${USER_EMAIL} / ${password}
  a colleague:           ${COLLEAGUES[0].email} / ${password}
  the superuser:         ${SUPERUSER_EMAIL} / ${adminPassword}`)
}

async function runDemo(start: Start): Promise<void> {
  const server = await startServer(start)
  const ended = new AbortController()
  let done: Promise<unknown> = Promise.resolve()
  onStopSignal(() => {
    printDemoLine('\nStopping.')
    ended.abort()
    void done.then(() => server.stop()).then(() => process.exit(0))
  })
  const { desk, password, adminPassword } = await makeDemoDesk(server)
  const { phones, done: running } = await startPhones(server, desk, ended.signal)
  done = running.catch((error) => printDemoLine(String(error)))
  await showTexts(desk, phones)
  printStep('More people have texted in the last hours, and some have got an answer.')
  await fillInbox(desk, phones, server.services.store.forEverybody('command').db)
  printNextSteps(server.url, desk, password, adminPassword)
}

export const makeDemoCommand = (start: Start) =>
  defineCommand({
    run: () => runDemo(start),
  })

/** Members of the user's account, who see its messages. The demo ends by printing the first one's sign-in. */
const COLLEAGUES = [
  { name: 'Priya', email: 'priya@example.com', role: 'agent' },
  { name: 'Tom', email: 'tom@example.com', role: 'viewer' },
] as const

/** Makes members of the user's account from COLLEAGUES. Each signs in with `password`. */
async function makeTeam(superuser: DemoApi, account: string, password: string): Promise<void> {
  for (const { role, ...person } of COLLEAGUES) {
    const member = await ensureUser(superuser, { ...person, password, member_only: true })
    const filter = `account = "${account}" && member = "${member}"`
    await ensureRecord(superuser, 'members', filter, { account, member, role })
  }
}
