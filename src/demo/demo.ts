import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { runAgent } from '../agent/device.ts'
import { upsertSuperuser } from '../auth/superusers.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { type Config, readConfig } from '../config.ts'
import { randomText } from '../tools/random.ts'
import { onStopSignal } from '../tools/stop-signal.ts'
import { freePortFrom } from './free-port.ts'
import { fillInbox } from './inbox.ts'
import {
  type Api,
  CONTACTS,
  type DemoData,
  findFirst,
  PATIENCE_MS,
  type Phone,
  pairPhones,
  request,
  setUpDemoData,
  signIn,
  USER_EMAIL,
  watch,
} from './people.ts'
import { COLLEAGUES, makeTeam } from './team.ts'

const SUPERUSER_EMAIL = 'demo-admin@example.com'

const begun = performance.now()
const say = (line = '') => void process.stdout.write(`${line}\n`)
const step = (line: string) =>
  say(`\n${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${line}`)
const detail = (line: string) => say(`         ${line.trimEnd()}`)

interface RunningServer {
  readonly url: string
  readonly services: { readonly config: Config; readonly store: CatalogStore }
  stop(): Promise<void>
}
type Start = (config: Config) => Promise<RunningServer>

/** Default settings of the demo: few logs, and its own folder, so that a real server later starts empty. */
const DEFAULTS = { DATA_DIR: './data/demo', LOG_LEVEL: 'warn' }

/** Starts the demo's server, on PORT if set, or on the next free port. */
async function startServer(start: Start): Promise<RunningServer> {
  const asked = readConfig({ ...DEFAULTS, ...process.env })
  const port = process.env.PORT ? asked.port : await freePortFrom(asked.port, asked.host)
  const config = readConfig({ ...DEFAULTS, ...process.env, PORT: String(port) })
  const where = config.databaseUrl ? 'Postgres' : config.dataDir
  step(`Starting the server; its data is in ${where}.`)
  const server = await start(config)
  detail(`It listens on ${server.url}`)
  return server
}

interface Passwords {
  readonly password: string
  readonly adminPassword: string
}

/** The passwords of an earlier run, or new ones, which `folder` keeps: browsers remember a sign-in. */
function passwordsIn(folder: string): Passwords {
  const file = join(folder, 'passwords.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const made = { password: randomText(12), adminPassword: randomText(12) }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify(made), { mode: 0o600 })
  return made
}

async function makeDesk(server: RunningServer) {
  const { password, adminPassword } = passwordsIn(server.services.config.dataDir)
  await upsertSuperuser(server.services.store.forEverybody('command'), SUPERUSER_EMAIL, adminPassword)
  const { api: superuser } = await signIn(server.url, '_superusers', SUPERUSER_EMAIL, adminPassword)
  const desk = await setUpDemoData(superuser, password)
  await makeTeam(superuser, desk.id, password)
  step(`A user, ${USER_EMAIL}, with an API key, a template and ${CONTACTS.length} contacts.`)
  for (const { name, phone } of CONTACTS) detail(`${name.padEnd(12)} ${phone}`)
  detail(`Their team: ${COLLEAGUES.map(({ name, role }) => `${name} (${role})`).join(', ')}`)
  return { desk, password, adminPassword }
}

async function startPhones(server: RunningServer, desk: DemoData, ended: AbortSignal) {
  const folder = join(server.services.config.dataDir, 'phones')
  mkdirSync(folder, { recursive: true })
  const phones = await pairPhones(desk.user, folder)
  step('Two simulated phones, paired by a code each. They send no real texts.')
  for (const { name, number } of phones) detail(`${name.padEnd(8)} ${number}`)
  const running = phones.map(({ stateFile, simulator }) => runAgent(stateFile, simulator, () => {}, ended))
  return { phones, done: Promise.all(running) }
}

async function sendAndWatch(
  desk: DemoData,
  phones: readonly Phone[],
  path: string,
  body: object,
  names: readonly string[],
): Promise<void> {
  const sender: Api = { url: desk.user.url, credentials: { 'x-api-key': desk.key } }
  const sent = await request<{ message_ids: string[] }>(sender, 'POST', path, body)
  for (const name of names) detail(`${name.padEnd(12)} accepted`)
  if (!(await watch(desk.user, sent.message_ids, phones, PATIENCE_MS, detail)))
    detail('Some are not finished yet; the server continues.')
}

async function sendSome(desk: DemoData, phones: readonly Phone[]): Promise<void> {
  const [ann, ben] = CONTACTS
  step(`POST /api/sms/send to ${ann.name} and ${ben.name}:`)
  const greeting = { recipients: [ann.phone, ben.phone], body: 'We are open on Sunday from 10 to 2.' }
  await sendAndWatch(desk, phones, '/api/sms/send', greeting, [ann.name, ben.name])

  step('POST /api/sms/send-template to the group Regulars, each with their own text:')
  const workshop = {
    recipients: [],
    group_ids: [desk.group],
    template_id: desk.template,
    variables: { time: '8 pm' },
  }
  const names = CONTACTS.map(({ name }) => name)
  await sendAndWatch(desk, phones, '/api/sms/send-template', workshop, names)
}

async function receiveOne(desk: DemoData, phone: Phone): Promise<void> {
  const [ann] = CONTACTS
  const text = 'I will be there!'
  const begun = new Date().toISOString().replace('T', ' ')
  phone.simulator.receive({ from: ann.phone, body: text, sim: 0 })
  step(`${ann.name} texts back to ${phone.name}; the text becomes a record like the others:`)
  const filter = `message_type = "incoming" && body = "${text}" && created >= "${begun}"`
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(100)) {
    const found = await findFirst<Record<'id' | 'from' | 'body', string>>(desk.user, 'sms_messages', filter)
    if (found) return detail(`${found.from}: ${found.body}`)
  }
  detail('The text has not arrived yet.')
}

function sayWhatNext(url: string, desk: DemoData, password: string, adminPassword: string): void {
  step('Done. The server and its phones run until you press Ctrl-C. Try these in another terminal:')
  say(`
curl ${url}/api/sms/send -H 'X-API-Key: ${desk.key}' \\
  -H 'Content-Type: application/json' -d '{"recipients":["${CONTACTS[0].phone}"],"body":"Hello again"}'

npm install --no-save pocketbase   # not needed in a clone
node --input-type=module -e "
import PocketBase from 'pocketbase'
const pb = new PocketBase('${url}')
await pb.collection('users').authWithPassword('${USER_EMAIL}', '${password}')
const page = await pb.collection('sms_messages').getList(1, 5, { sort: '-created', expand: 'device' })
console.table(page.items.map((m) => [m.created, m.from || m.to, m.status, m.body]))
"

Open ${url}, sign in as ${USER_EMAIL} / ${password}
  a colleague:           ${COLLEAGUES[0].email} / ${password}
  the superuser:         ${SUPERUSER_EMAIL} / ${adminPassword}`)
}

async function demo(start: Start): Promise<void> {
  const server = await startServer(start)
  const ended = new AbortController()
  let done: Promise<unknown> = Promise.resolve()
  onStopSignal(() => {
    say('\nStopping.')
    ended.abort()
    void done.then(() => server.stop()).then(() => process.exit(0))
  })
  const { desk, password, adminPassword } = await makeDesk(server)
  const { phones, done: running } = await startPhones(server, desk, ended.signal)
  done = running.catch((error) => say(String(error)))
  await sendSome(desk, phones)
  await receiveOne(desk, phones[0]!)
  step('More people have texted in the last hours, and some have got an answer.')
  await fillInbox(desk, phones, server.services.store.forEverybody('command').db)
  sayWhatNext(server.url, desk, password, adminPassword)
}

export const demoCommand = (start: Start) =>
  defineCommand({
    meta: { name: 'demo', description: 'Show the main job with two simulated phones, on separate data.' },
    run: () => demo(start),
  })
