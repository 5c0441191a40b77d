import { createTransport } from 'nodemailer'
import pg from 'pg'
import { DOOR_SENDS, nameOfSend, sendByDoor } from '../test/protocols/door-sends.ts'
import { basic, request } from '../test/support/server/request.ts'
import {
  type Client,
  makeUser,
  must,
  PASSWORD,
  pairDevice,
  signIn,
} from '../test/support/server/server-with-devices.ts'
import { SUPERUSER } from '../test/support/server/start.ts'

/** One act at one door. The first act of a kind is the one that others are compared with. */
export interface Act {
  readonly name: string
  readonly kind: 'text' | 'list' | 'send' | 'phone'
  /** Prepares `count` runs. */
  readonly prepare?: (count: number) => Promise<unknown>
  /** Does the act once. Throws for a refusal. */
  readonly run: () => Promise<unknown>
}

export interface DoorActs {
  readonly acts: readonly Act[]
  close(): void
}

const RECORDS = '/api/collections'
const WORDS = 'Your parcel arrives tomorrow between 9 and 12.'
/** Texts that the account has from before, and the sends of each door whose texts are read. */
const [OLD_TEXTS, READ_SENDS] = [20_000, 100]
/** A hook takes so many calls a minute, so several take turns. */
const [HOOKS, HOOK_RATE] = [20, 1_000]
/** A version of SMSGate's app that takes many texts at a time. */
const APP = 'me.capcom.smsgateway/1.75.0'
const JSON_RPC = { accept: 'application/json, text/event-stream' }

let last = 10_000_000
const newNumber = () => `+4917${++last}`

/** Makes an account with a history, and all acts on it. */
export async function prepareActs(
  url: string,
  smtpPort: number,
  databaseUrl: string,
): Promise<DoorActs> {
  const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const user = await makeUser(url, root)
  await pairDevice(url, user, { phone: '+4915999999999' })
  const record = (collection: string, values: object) =>
    must(user, 'POST', `${RECORDS}/${collection}/records`, { user: user.id, ...values })
  const { key } = await record('api_keys', { name: 'App', scopes: ['all:any'] })
  const twilio = await record('api_keys', { name: 'Twilio', twilio: true })
  const hooks: string[] = []
  for (let i = 0; i < HOOKS; i++) {
    const values = { name: `Hook ${i}`, preset: 'text', rate: HOOK_RATE, once_minutes: 0 }
    hooks.push((await record('hooks', { ...values, recipients_from: 'to' })).secret)
  }
  const byKey = { 'x-api-key': key }
  const byToken = { authorization: user.token }
  const login = basic(user.email, key)
  const bySid = basic(twilio.account_sid, twilio.auth_token)
  const account = `/2010-04-01/Accounts/${twilio.account_sid}`
  const smsgate = '/api/3rdparty/v1'

  const ask = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ) => {
    const answer = await request(url, method, path, body, headers)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const scopes = ['messages:send', 'messages:read', 'messages:list']
  const pair = await ask('POST', `${smsgate}/auth/token`, login, { scopes, ttl: 86_400 })
  const byIssued = { authorization: `Bearer ${pair.body.access_token}` }

  const sendOwn = (headers: Readonly<Record<string, string>>) => () =>
    ask('POST', '/api/sms/send', headers, { recipients: [newNumber()], body: WORDS })
  const sendSmsgate = (headers: Readonly<Record<string, string>>) => () =>
    ask('POST', `${smsgate}/messages`, headers, {
      phoneNumbers: [newNumber()],
      textMessage: { text: WORDS },
    })
  const sendTwilio = () =>
    ask(
      'POST',
      `${account}/Messages.json`,
      bySid,
      new URLSearchParams({ To: newNumber(), Body: WORDS }),
    )
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ignoreTLS: true,
    auth: { user: user.email, pass: key },
    pool: true,
    maxMessages: Number.POSITIVE_INFINITY,
  })
  const sendMail = () =>
    transport.sendMail({
      from: 'cron@example.com',
      to: `${newNumber()}@sms.example.com`,
      text: WORDS,
    })
  const callTool = (name: string, makeArguments: () => object) => async () => {
    const params = { name, arguments: makeArguments() }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { text } = await ask('POST', '/mcp', { ...byKey, ...JSON_RPC }, call)
    if (/"isError":\s*true/.test(text)) throw new Error(text)
  }
  let calls = 0
  const callHook = () =>
    ask(
      'POST',
      `/api/hooks/${hooks[++calls % HOOKS]}`,
      {},
      { to: newNumber(), text: `${WORDS} ${calls}` },
    )

  await fillHistory(user, databaseUrl)
  const sent: string[] = []
  const sends: string[] = []
  for (let i = 0; i < READ_SENDS; i++) {
    sent.push((await sendTwilio()).body.sid.slice(2))
    sends.push((await sendSmsgate(login)()).body.id)
    await sendOwn(byKey)()
  }
  const { body: own } = await ask(
    'GET',
    `${RECORDS}/sms_messages/records?perPage=100&sort=-created`,
    byToken,
  )
  const ids = own.items.map(({ id }: { id: string }) => id) as string[]
  const sids = (await ask('GET', `${account}/Messages.json?PageSize=100`, bySid)).body.messages.map(
    ({ sid }: { sid: string }) => sid,
  ) as string[]
  let turn = 0
  const pick = (list: readonly string[]) => list[++turn % list.length]!
  const read =
    (path: (id: string) => string, from: readonly string[], headers: Record<string, string>) =>
    () =>
      ask('GET', path(pick(from)), headers)
  const list = (path: string, headers: Record<string, string>) => () => ask('GET', path, headers)

  const acts: Act[] = [
    {
      name: 'text, records by token',
      kind: 'text',
      run: read((id) => `${RECORDS}/sms_messages/records/${id}`, ids, byToken),
    },
    {
      name: 'text, own API by token',
      kind: 'text',
      run: read((id) => `/api/sms/messages/${id}`, ids, byToken),
    },
    {
      name: 'text, own API by key',
      kind: 'text',
      run: read((id) => `/api/sms/messages/${id}`, ids, byKey),
    },
    {
      name: "text, SMSGate's API by key",
      kind: 'text',
      run: read((id) => `${smsgate}/messages/${id}`, sends, login),
    },
    {
      name: "text, SMSGate's API by issued token",
      kind: 'text',
      run: read((id) => `${smsgate}/messages/${id}`, sends, byIssued),
    },
    {
      name: "text, Twilio's API",
      kind: 'text',
      run: read((sid) => `${account}/Messages/${sid}.json`, sids, bySid),
    },
    {
      name: "text, Vendel's API",
      kind: 'text',
      run: read((id) => `/vendel/api/sms/status/${id}`, ids, byKey),
    },
    {
      name: 'list, records by token',
      kind: 'list',
      run: list(`${RECORDS}/sms_messages/records?perPage=50&sort=-created`, byToken),
    },
    {
      name: 'list, own API by token',
      kind: 'list',
      run: list(`/api/sms/messages?ids=${ids.slice(0, 50)}`, byToken),
    },
    {
      name: 'list, own API by key',
      kind: 'list',
      run: list(`/api/sms/messages?ids=${ids.slice(0, 50)}`, byKey),
    },
    {
      name: "list, SMSGate's API by key",
      kind: 'list',
      run: list(`${smsgate}/messages?limit=50`, login),
    },
    {
      name: "list, Twilio's API",
      kind: 'list',
      run: list(`${account}/Messages.json?PageSize=50`, bySid),
    },
    {
      name: "list, Vendel's API",
      kind: 'list',
      run: list('/vendel/api/sms/messages?per_page=50', byKey),
    },
    {
      name: 'list, MCP',
      kind: 'list',
      run: callTool('find_messages', () => ({ per_page: 50 })),
    },
    { name: 'send, own API by token', kind: 'send', run: sendOwn(byToken) },
    { name: 'send, own API by key', kind: 'send', run: sendOwn(byKey) },
    { name: "send, SMSGate's API by key", kind: 'send', run: sendSmsgate(login) },
    { name: "send, SMSGate's API by issued token", kind: 'send', run: sendSmsgate(byIssued) },
    { name: "send, Twilio's API", kind: 'send', run: sendTwilio },
    {
      name: "send, Vendel's API",
      kind: 'send',
      run: () =>
        ask('POST', '/vendel/api/sms/send', byKey, { recipients: [newNumber()], body: WORDS }),
    },
    ...DOOR_SENDS.map(
      (send): Act => ({
        name: `send, ${nameOfSend(send)}`,
        kind: 'send',
        run: async () => {
          const { status, text } = await sendByDoor(url, send, {
            to: newNumber(),
            text: WORDS,
            key,
            user: user.email,
          })
          if (status >= 300 || /error/i.test(text)) throw new Error(`${send.at}: ${status} ${text}`)
        },
      }),
    ),
    {
      name: 'send, MCP',
      kind: 'send',
      run: callTool('send_message', () => ({ recipients: [newNumber()], body: WORDS })),
    },
    { name: 'send, mail', kind: 'send', run: sendMail },
    { name: 'send, hook', kind: 'send', run: callHook },
    ...(await makePhoneActs(url, root)),
  ]
  return { acts, close: () => transport.close() }
}

/** Gives an account delivered texts, as they are stored. */
async function fillHistory(user: Client, databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(
    `insert into sms_messages (id, status, "to", body, message_type, device, line, segments, sent_at, "user", created, updated)
     select substr(md5('old' || n), 1, 15), 'delivered', '+4916' || (10000000 + n), $2, 'outgoing', l.device, l.id, 1,
       at.day, l."user", at.day, at.day
     from generate_series(1, ${OLD_TEXTS}) n
     cross join lateral (select pb_text(now() - n * interval '1 minute') as day) at
     join lines l on l."user" = $1`,
    [user.id, WORDS],
  )
  await client.query('vacuum (analyze)')
  await client.end()
}

/** A text is fetched and reported as sent and delivered, by our phone and by SMSGate's app. */
async function makePhoneActs(url: string, root: Client): Promise<Act[]> {
  const sendTo = (user: Client) => (count: number) =>
    must(user, 'POST', '/api/sms/send', {
      recipients: Array.from({ length: count }, newNumber),
      body: WORDS,
    })
  const user = await makeUser(url, root)
  const phone = await pairDevice(url, user)
  const other = await makeUser(url, root)
  const made = await request(
    url,
    'POST',
    '/api/mobile/v1/device',
    { name: 'App' },
    basic(other.email, PASSWORD),
  )
  const app = { authorization: `Bearer ${made.body.token}`, 'user-agent': APP }
  const report = async (message: AppMessage, state: string) => {
    const recipients = message.phoneNumbers.map((phoneNumber) => ({ phoneNumber, state }))
    const states = { [state]: new Date().toISOString() }
    const item = { id: message.id, state, recipients, states }
    const answer = await request(url, 'PATCH', '/api/mobile/v1/message', [item], app)
    if (answer.status >= 300) throw new Error(`A report: ${answer.status} ${answer.text}`)
  }
  const fetched: AppMessage[] = []
  let fetching: Promise<void> | undefined
  const fetchMore = async () => {
    const { body } = await request(url, 'GET', '/api/mobile/v1/message', undefined, app)
    fetched.push(...body)
    fetching = undefined
  }
  return [
    {
      name: "phone, a text's fetch and two reports, own",
      kind: 'phone',
      prepare: sendTo(user),
      run: async () => {
        const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 1 })
        for (const status of ['sent', 'delivered'])
          await must(phone, 'POST', '/api/devices/report', {
            items: items.map(({ id, attempt }: { id: string; attempt: number }) => ({
              id,
              attempt,
              status,
            })),
          })
      },
    },
    {
      name: "phone, a text's fetch and three reports, SMSGate",
      kind: 'phone',
      prepare: sendTo(other),
      run: async () => {
        let message = fetched.pop()
        while (!message) {
          fetching ??= fetchMore()
          await fetching
          message = fetched.pop()
        }
        for (const state of ['Processed', 'Sent', 'Delivered']) await report(message, state)
      },
    },
  ]
}

interface AppMessage {
  readonly id: string
  readonly phoneNumbers: readonly string[]
}
