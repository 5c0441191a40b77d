import { createApp } from '../../src/main/app.ts'
import { collectJobKinds, FEATURES } from '../../src/main/features.ts'
import { FIND_TOOLS } from '../../src/protocols/mcp/find-tools.ts'
import { SEND_TOOLS } from '../../src/protocols/mcp/send-tools.ts'
import { isTried } from '../support/tries-all.ts'
import {
  cancelLargeBatch,
  changeTemplates,
  pauseWithoutAudit,
  takeKeyOfCampaign,
  whoAddsConsent,
} from './acts.ts'
import { type Asked, ask, isRefusedInside, pathOf } from './ask.ts'
import { CALLERS, type Caller, NUMBER, query, SECRETS, server, url, user } from './callers.ts'
import { leavesAfter, SINCE } from './due.ts'
import { mailRows } from './mails.ts'
import { OTHERS } from './others.ts'
import { PROMISES } from './promises.ts'
import { KEYS_ALONE, ROWS, type Row, TOOL_ROWS } from './rows.ts'
import { hasLeft, makeTexts, markOf, stateOf } from './texts.ts'
import { isIn, type Who } from './who.ts'

// Every route, door and job that can make a text leave or show data, asked for by everybody who may ask.

const rows: Readonly<Record<string, Row>> = {
  ...ROWS,
  ...Object.fromEntries(Object.entries(TOOL_ROWS).map(([name, row]) => [`POST /mcp ${name}`, row])),
}
const routes = [
  ...new Set(createApp(server.services).routes.map(({ method, path }) => `${method} ${path}`)),
]
  // middleware, and what answers a method that a route does not have
  .filter((route) => !route.startsWith('ALL '))
const routeOf = (row: string) => row.split(' ').slice(0, 2).join(' ')
const known = new Set(Object.keys(rows).map(routeOf))
/** Without the API of SMSGate's phone, whose line is in others.ts. */
const featureRows = FEATURES.flatMap((feature) => feature.rows ?? []).filter(
  ({ at }) => !at.includes(' /api/mobile/v1/'),
)
const others = routes.filter((route) => !known.has(route))

/** People and others do not get in by a door that opens with an API key alone; keys have no campaigns. */
function isAllowed(who: Who, { by = 'api', isOfOwner }: Row, { name, key }: Caller): boolean {
  if (isOfOwner && key === undefined && name !== 'owner') return false
  if (by === 'twilio' && name !== 'key: twilio') return false
  if (key === undefined && KEYS_ALONE.has(by)) return false
  return isIn(who, name)
}

const shows = (text: string, ...secrets: string[]) =>
  secrets.some((secret) => text.includes(secret))

const mayDo = (route: string, row: Row, caller: Caller) =>
  isAllowed(row.may ?? PROMISES[routeOf(route)]!, row, caller)

/** What is wrong in a cell; undefined if nothing is. */
async function faultOf(route: string, row: Row, caller: Caller): Promise<string | undefined> {
  const author = (row.isOwn && caller.keyId) || user
  const target = await makeTexts({ author, ...row.texts })
  const before = await stateOf(target)
  const mark = markOf()
  const { status, text } = await ask(route, row, caller, target, mark)
  const isPromised = mayDo(route, row, caller)
  const isDone = row.isEffect
    ? (await hasLeft(mark, target)) || (await stateOf(target)) !== before
    : ![401, 403].includes(status) && !isRefusedInside(text)
  const isShown = {
    text: shows(text, SECRETS.text),
    contact: shows(text, SECRETS.contact, SECRETS.field),
  }
  const may = {
    text: isAllowed(row.text ?? 'nobody', row, caller),
    contact: isAllowed(row.contact ?? 'nobody', row, caller),
  }
  const faults = [
    ...(isDone === isPromised ? [] : [isDone ? 'is done' : 'is refused']),
    ...(isPromised && row.isEffect && status >= 300 ? ['is done and refused'] : []),
    ...(isShown.text === may.text ? [] : [isShown.text ? 'shows a text' : 'hides the text']),
    ...(row.number && shows(text, NUMBER) !== isAllowed(row.number, row, caller)
      ? ['shows the number']
      : []),
    ...(isShown.contact === may.contact
      ? []
      : [isShown.contact ? 'shows a contact' : 'hides the contact']),
  ]
  return faults.length === 0
    ? undefined
    : `${route} by ${caller.name}: ${faults.join(', ')} (${status} ${text.slice(0, 120)})`
}

let cells = 0
/** Cells at a time: each waits for the server and the database in turn. */
const LANES = 4

/** The callers by whom a landing tries a row: every other one, and one who is allowed. */
function callersOf(row: number, isAllowed: (caller: Caller) => boolean): Caller[] {
  const tried = CALLERS.filter((_, column) => isTried(row, column))
  return tried.some(isAllowed) ? tried : [...tried, ...CALLERS.filter(isAllowed).slice(0, 1)]
}

/** Calls `work` for each caller. Returns what is wrong. */
async function faultsOf(
  callers: readonly Caller[],
  work: (caller: Caller) => Promise<string | undefined>,
): Promise<string[]> {
  const left = [...callers]
  const faults: string[] = []
  const lane = async () => {
    for (let caller = left.shift(); caller; caller = left.shift()) {
      const fault = await work(caller)
      if (fault) faults.push(fault)
      cells++
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return faults
}
afterAll(() => expect(cells).toBeGreaterThanOrEqual(400))

test('every other route has a line that names its readers', () => {
  expect(routes.length).toBeGreaterThan(150)
  expect([...known].filter((route) => !routes.includes(route))).toEqual([])
  expect(others.filter((route) => findShown(route) === undefined)).toEqual([])
  const open = Object.entries(rows).filter(([route, { may }]) => !may && !PROMISES[routeOf(route)])
  expect(open.map(([route]) => route)).toEqual([])
})

test('every MCP tool has a row in the matrix', () => {
  expect([...SEND_TOOLS, ...FIND_TOOLS].map(({ name }) => name).sort()).toEqual(
    Object.keys(TOOL_ROWS).sort(),
  )
})

test.each(Object.entries(rows).map(([route, row], i) => [route, row, i] as const))(
  '%s is allowed exactly to the callers in its row',
  async (route, row, i) => {
    const callers = callersOf(i, (caller) => mayDo(route, row, caller))
    expect(await faultsOf(callers, (caller) => faultOf(route, row, caller))).toEqual([])
  },
)

test.each(mailRows)(
  'a mail to $what is allowed exactly to the callers in its row',
  async ({ faultOf }) => {
    expect(await faultsOf(CALLERS, faultOf)).toEqual([])
  },
)

test.each(SINCE.filter((row) => row[3]))('a due text leaves if %s', async (_, by, since) => {
  expect(await leavesAfter(by, since)).toBe(true)
})

test.each(SINCE.filter((row) => !row[3]))('a due text stays if %s', async (_, by, since) => {
  expect(await leavesAfter(by, since)).toBe(false)
})

test('a batch is canceled as a whole or not at all if the judge refuses one text', async () => {
  expect(await cancelLargeBatch()).toEqual({ status: 403, waiting: 1_001 })
})

test('a campaign stays unchanged if its row of the audit log cannot be written', async () => {
  expect(await pauseWithoutAudit()).toEqual({ status: 500, state: 'scheduled' })
})

test('a campaign stores its texts even if a client used the same idempotency key', async () => {
  expect(await takeKeyOfCampaign()).toEqual(['Another sale'])
})

test('only an agent and higher roles add entries of consent', async () => {
  const may = CALLERS.map(({ name }) => name).filter((name) => isIn('agent', name))
  expect(await whoAddsConsent()).toEqual(may)
})

test('an agent cannot change or delete a template that an automatic answer uses', async () => {
  expect(await changeTemplates()).toEqual({ before: 200, after: [404, 404], byAdmin: [200, 204] })
})

const outgoing = async () =>
  String(
    await query(
      `select count(*) from sms_messages where "user" = $1 and message_type = 'outgoing'`,
      [user],
    ),
  )
const COLLECTIONS = ['contacts', 'sms_messages', 'conversations', 'consents']

/** To whom a route that is in no row of the matrix shows texts or contacts. */
const findShown = (route: string): Who | undefined =>
  OTHERS.find(([pattern]) => pattern.test(route))?.[1] ?? (route in PROMISES ? 'nobody' : undefined)

/** The body in a route's description. */
function readExample(route: string): unknown {
  const describe = featureRows.find(({ at }) => at === route)?.describe
  return (describe && 'body' in describe && describe.body?.[1]) || {}
}

/** Asks for a route that sends nothing. Returns what it answered, for each collection if it lists records. */
async function askOther(route: string, { token, key }: Caller): Promise<Asked> {
  const method = route.split(' ')[0]!
  const isOfRecords = /:collection\/(records|export)/.test(route)
  const collections = isOfRecords ? COLLECTIONS : ['users']
  const answers = collections.map(async (collection) => {
    const headers = { ...(key && { 'x-api-key': key }), ...(token && { authorization: token }) }
    const json = { 'content-type': 'application/json' }
    const given = JSON.stringify(readExample(route))
    const body = method === 'GET' ? {} : { body: given, headers: { ...headers, ...json } }
    const stop = new AbortController()
    const address = url + pathOf(route, { collection })
    const response = await fetch(address, {
      method,
      headers,
      signal: stop.signal,
      redirect: 'manual',
      ...body,
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    const text = isStream ? '' : await response.text()
    stop.abort()
    return { status: response.status, text }
  })
  const all = await Promise.all(answers)
  return { status: all[0]!.status, text: all.map(({ text }) => text).join('\n') }
}

/** Promises that refuse nobody here, or everybody: examples of their descriptions may be wrong. */
const UNTRIED: readonly (Who | undefined)[] = [
  'everybody',
  'strangers',
  'invited',
  'superuser',
  undefined,
]

// it ends the sessions of who asks
const inOrder = others.toSorted(
  (a, b) => Number(a.includes('end-other')) - Number(b.includes('end-other')),
)
test.each(inOrder.map((route, i) => [route, i] as const))(
  '%s sends no text and shows no more than the rules of records allow',
  async (route, i) => {
    const who = findShown(route)!
    const before = await outgoing()
    const promise = PROMISES[route] === 'rules' ? undefined : PROMISES[route]
    const [shown, asked]: [string[], number[]] = [[], []]
    const callers = callersOf(i, ({ name }) => isIn(promise ?? who, name))
    const faults = await faultsOf(callers, async (caller) => {
      const { status, text } = await askOther(route, caller)
      if (shows(text, ...Object.values(SECRETS))) shown.push(caller.name)
      if (promise === undefined) return undefined
      const may = isIn(promise, caller.name)
      if (may) asked.push(status)
      const isRefused = [401, 403].includes(status)
      return isRefused === may ? `${caller.name}: ${status} ${text.slice(0, 120)}` : undefined
    })
    expect(faults).toEqual([])
    const isList = !route.includes(':id') && who !== 'nobody'
    const may = callers.map(({ name }) => name).filter((name) => isIn(who, name))
    expect(shown.sort()).toEqual(isList ? may.sort() : [])
    expect(await outgoing()).toBe(before)
    // 400: the route was not tried. Give it an example in its description, or a row in rows.ts
    expect(UNTRIED.includes(promise) ? [] : asked.filter((status) => status === 400)).toEqual([])
  },
)

/** Whether a job of this kind makes texts leave. A new kind needs a line here, and a test of its bounds. */
const JOBS: Readonly<Record<string, boolean>> = {
  answer: true,
  campaign: true,
  alarm_mail: false,
  reply_mail: false,
  second_factor: false,
  directory_proof: false,
  former_members_mail: false,
  push: false,
  person: false,
}

test('every kind of job has a row in the matrix', () => {
  const kinds = collectJobKinds({ ...server.services }).map(({ name }) => name)
  expect(kinds.filter((name) => !(name in JOBS))).toEqual([])
})
