import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { readState, runAgent } from '../agent/device.ts'
import { call } from '../agent/server.ts'
import { upsertSuperuser } from '../auth/superusers.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { type Config, readConfig } from '../config.ts'
import type { Db } from '../db/open.ts'
import { randomText } from '../tools/random.ts'
import { onStopSignal } from '../tools/stop-signal.ts'
import { backdate } from './backdate.ts'
import {
  type Api,
  CONTACTS,
  type DemoData,
  ensure,
  ensureContact,
  ensureUser,
  findFirst,
  type Phone,
  pairPhones,
  request,
  setUpDemoData,
  signIn,
  USER_EMAIL,
  watch,
} from './people.ts'

const SUPERUSER_EMAIL = 'demo-admin@example.com'
const PATIENCE_MS = 20_000

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
  step('Two simulated phones, paired by a code each. They send nothing anywhere.')
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
    detail('Not all are finished yet; the server goes on with them.')
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
  step(`${ann.name} texts back to ${phone.name}; it is a record like the others:`)
  const filter = `message_type = "incoming" && body = "${text}" && created >= "${begun}"`
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(100)) {
    const found = await findFirst<Record<'id' | 'from' | 'body', string>>(desk.user, 'sms_messages', filter)
    if (found) return detail(`${found.from}: ${found.body}`)
  }
  detail('It has not come in yet.')
}

function sayWhatNext(url: string, desk: DemoData, password: string, adminPassword: string): void {
  step('Done. The server and its phones go on until you press Ctrl-C. To try next, in another terminal:')
  say(`
curl ${url}/api/sms/send -H 'X-API-Key: ${desk.key}' \\
  -H 'Content-Type: application/json' -d '{"recipients":["${CONTACTS[0].phone}"],"body":"Hello again"}'

npm install --no-save pocketbase   # a clone has it
node --input-type=module -e "
import PocketBase from 'pocketbase'
const pb = new PocketBase('${url}')
await pb.collection('users').authWithPassword('${USER_EMAIL}', '${password}')
const page = await pb.collection('sms_messages').getList(1, 5, { sort: '-created', expand: 'device' })
console.table(page.items.map((m) => [m.created, m.from || m.to, m.status, m.body]))
"

Open ${url}, sign in as ${USER_EMAIL} / ${password}
  a colleague of theirs: ${COLLEAGUES[0].email} / ${password}
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
  step('More people have texted in the last hours; some have their answer.')
  await fillInbox(desk, phones, server.services.store.forEverybody('command').db)
  sayWhatNext(server.url, desk, password, adminPassword)
}

export const demoCommand = (start: Start) =>
  defineCommand({
    meta: { name: 'demo', description: 'Show the main job with two simulated phones, on separate data.' },
    run: () => demo(start),
  })

/** Members of the user's account, who see its messages. The demo ends by printing the first one's sign-in. */
const COLLEAGUES = [
  { name: 'Priya', email: 'priya@example.com', role: 'agent' },
  { name: 'Tom', email: 'tom@example.com', role: 'viewer' },
] as const

/** Incoming messages: age in minutes, sender, text, and the answer ('' for none). */
const TEXTS = [
  [340, 'Grace Okafor', 'Hi, is my bike ready?', 'Yes, since this morning. We are open until 6 pm.'],
  [280, 'Henry Walsh', 'Do you repair e-bikes, too?', 'We do. Bring the charger with you, please.'],
  [200, 'Isla Novak', 'Can I come on Saturday at ten?', 'Saturday at ten it is. See you then!'],
  [95, 'Jonas Weber', 'Do you have the blue helmet in M?', ''],
  [50, 'Kofi Mensah', 'The brake squeals again. Shall I come by?', ''],
  [25, 'Lea Rossi', 'Thank you, the new chain runs well.', ''],
  [18, 'Nadia Petrova', 'Is there parking in front of your shop?', ''],
  [12, 'Oscar Brown', 'Running ten minutes late, sorry!', ''],
  [6, 'Maya Lind', 'What does a full service cost?', ''],
] as const
const MINUTE_MS = 60_000
const ANSWER_MS = 4 * MINUTE_MS

const numberOf = (at: number) => `+4477009002${10 + at}`

/** Makes members of the user's account from COLLEAGUES. Each signs in with `password`. */
async function makeTeam(superuser: Api, account: string, password: string): Promise<void> {
  for (const { role, ...person } of COLLEAGUES) {
    const member = await ensureUser(superuser, { ...person, password, member_only: true })
    const filter = `account = "${account}" && member = "${member}"`
    await ensure(superuser, 'members', filter, { account, member, role })
  }
}

/** Makes texts of the last hours arrive at the first phone, and answers some. Does nothing in later runs. */
async function fillInbox({ user, id: owner }: DemoData, phones: readonly Phone[], db: Db): Promise<void> {
  if (await findFirst(user, 'contacts', `phone = "${numberOf(0)}"`)) return
  for (const [at, [, name]] of TEXTS.entries())
    await ensureContact(user, { user: owner, name, phone: numberOf(at) })
  const items = TEXTS.map(([minutes, , body], at) => ({
    from: numberOf(at),
    body,
    received_at: new Date(Date.now() - minutes * MINUTE_MS).toISOString(),
  }))
  const phone = readState(phones[0]!.stateFile)
  const { body: stored } = await call<{ ids: string[] }>(phone, '/api/devices/incoming', { items })
  const answers: [id: string, at: number][] = []
  for (const [at, [minutes, , , body]] of TEXTS.entries()) {
    const received = Date.now() - minutes * MINUTE_MS
    await backdate(db, stored.ids[at]!, received)
    if (!body) continue
    const number = numberOf(at)
    const sent = { recipients: [number], body }
    const { message_ids } = await request<{ message_ids: string[] }>(user, 'POST', '/api/sms/send', sent)
    answers.push([message_ids[0]!, received + ANSWER_MS])
    const conversation = await findFirst(user, 'conversations', `number = "${number}"`)
    await request(user, 'PATCH', `/api/collections/conversations/records/${conversation?.id}`, { unread: 0 })
  }
  const sent = answers.map(([id]) => id)
  await watch(user, sent, phones, PATIENCE_MS, () => {})
  for (const [id, at] of answers) await backdate(db, id, at)
}

const TRIES = 20

/** Finds the first free port of `host`, beginning with `first`. Returns `first` if none is free. */
export async function freePortFrom(first: number, host: string): Promise<number> {
  for (let port = first; port < first + TRIES; port++) if (await isFree(port, host)) return port
  return first
}

function isFree(port: number, host: string): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
