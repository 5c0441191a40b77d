import { createServer } from 'node:http'
import { extname } from 'node:path'
import { createTransport } from 'nodemailer'
import sharp from 'sharp'
import { PHOTOS as REAL } from '../payloads/files/photos.ts'
import { freePort } from '../support/database/postgres.ts'
import { type Answer, basic, request } from '../support/server/request.ts'
import {
  type Client,
  must,
  type ServerWithDevices,
  startServerWithDevices,
} from '../support/server/server-with-devices.ts'
import { listenLocally } from '../support/services/listen.ts'
import { until } from '../support/until.ts'

// Every way by which a text gets into the server, asked as its clients ask it. The tests of this folder take
// their ways from here: a promise is then tried on all of them alike.

/** A text to a person. */
export interface Text {
  readonly to: string
  /** Words that nothing else contains. A code has words of its own. */
  readonly words: string
  /** What the way's client repeats when it repeats a send. */
  readonly key?: string
  /** Its sender's own name for it. */
  readonly reference?: string
  /** When a person typed it: now unless it is said. */
  readonly typedAt?: string
  /** The picture that goes with it, on ways that can. Ways of files have one in any case. */
  readonly photo?: keyof typeof PHOTOS
}

/** An account with all that its ways need. */
export interface Shop {
  readonly user: Client & { readonly email: string }
  readonly phone: Client
  readonly line: string
  /** An API key with all scopes. */
  readonly keyId: string
  readonly key: string
  readonly twilio: { readonly account_sid: string; readonly auth_token: string }
  readonly template: string
  readonly hook: { readonly id: string; readonly secret: string }
}

/** A server as its clients see it, and its database. */
export interface Place {
  readonly url: string
  readonly smtpPort: number
  /** The address of a server of photos, and of an app. */
  readonly outside: string
  /** Another server on the same database, by which a text in parts gets in as well. */
  readonly beside?: string
  /** Rows of a statement. */
  query(sql: string, params?: unknown[]): Promise<unknown[][]>
}

export interface Crossings extends Place {
  readonly server: ServerWithDevices
  makeShop(): Promise<Shop>
}

/** How a way tells that it has taken the text. */
type Sent = Answer | { readonly status: number; readonly text?: string }

export interface Way {
  /**
   * Does what an account does before a person has a reason for the text, and throws if it fails. Returns what
   * the person or the time does then.
   */
  readonly prepare?: (at: Place, shop: Shop, text: Text) => Promise<() => Promise<Sent>>
  /** Sends the text. The `status` of the answer is that of HTTP, or 200 and 400 for other protocols. */
  readonly send: (at: Place, shop: Shop, text: Text) => Promise<Sent>
  /** The text waits for its time: `hurry` lets it be due. */
  readonly isLater?: true
  /** No client waits for an answer: the server sends by itself, some time after its reason. */
  readonly isOwn?: true
  /** The server chooses the words. */
  readonly hasOwnWords?: true
  /** The person's own text asks for it, and ends a STOP. */
  readonly isOwnWish?: true
  /** It carries a picture. */
  readonly hasFile?: true
  /** It takes pictures alone: other files are left out. */
  readonly hasPicturesOnly?: true
  /** No API key asks for it. */
  readonly isWithoutKey?: true
  /** It has left already when the server learns of it. */
  readonly hasLeft?: true
  /** The collection in which its words are the account's own, and stay. */
  readonly wordsStayIn?: 'auto_answers'
  /** Its texts are those of a campaign, which alone changes and repeats them. */
  readonly isOfCampaign?: true
  /** The same key with other words is another text. */
  readonly isKeyOfWords?: true
  /** Its key is Twilio's, which has all scopes. */
  readonly isOfTwilio?: true
}

/** What no eye sees in the photos, and nobody means to send. */
const HIDDEN = 'Zebulon at 52.5167 north'
const photo = (background: string, width = 1_600) =>
  sharp({
    create: {
      width,
      height: (width * 3) / 4,
      channels: 3,
      background,
      noise: { type: 'gaussian', mean: 128, sigma: 8 },
    },
  })
    .jpeg()
    .withExif({ IFD0: { Artist: HIDDEN, ImageDescription: HIDDEN } })
    .toBuffer()

/**
 * Photos with a name and a place in their EXIF data, of which all but the small one are too large for an MMS,
 * and a file of each other type that an MMS may have.
 */
export const PHOTOS = {
  'menu.jpg': await photo('red'),
  'other.jpg': await photo('blue'),
  'small.jpg': await photo('green', 480),
  'screen.png': await REAL.mac.make(),
  'moving.gif': await REAL.gif.make(),
  'sticker.webp': await REAL.sticker.make(),
  'film.mp4': await REAL.film.make(),
} as const
/** What nobody means to send with each of them. */
export const TOLD: Readonly<Record<keyof typeof PHOTOS, readonly string[]>> = {
  'menu.jpg': [HIDDEN],
  'other.jpg': [HIDDEN],
  'small.jpg': [HIDDEN],
  'screen.png': REAL.mac.tells,
  'moving.gif': REAL.gif.tells,
  'sticker.webp': REAL.sticker.tells,
  'film.mp4': REAL.film.tells,
}
const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
}
const typeOf = (name: string) => TYPES[extname(name)]!

/** Servers of others: photos by their names, and an app that answers a call with the words of its address. */
export const startOutside = () =>
  listenLocally(
    createServer((req, res) => {
      const { pathname, searchParams } = new URL(req.url!, 'http://outside')
      const found = PHOTOS[pathname.slice(1) as keyof typeof PHOTOS]
      if (found) return res.writeHead(200, { 'content-type': typeOf(pathname) }).end(found)
      const media = searchParams.get('photo')
      const say = `<Body>${searchParams.get('words')}</Body>${media ? `<Media>${media}</Media>` : ''}`
      res
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(`<Response><Message>${say}</Message></Response>`)
    }),
  )

/** The number of an account's first phone. */
export const PHONES_NUMBER = '+4930123456'

let numbers = 20_000_000
/** A number that no other test has. */
export const nextNumber = (): string => `+4915${++numbers}`
let words = 0
/** Words that nothing else contains. */
export const nextWords = (): string => `Quendel ${Date.now().toString(36)}x${++words}`

/** A time that a repetition names again. */
const LATER = new Date(Date.now() + 3_600_000).toISOString()

/** Settings of a server on which all ways are open, beside SMTP_PORT. */
export const SETTINGS = {
  PUBLIC_URL: 'https://sms.example.com',
  WEBHOOK_ALLOW_PRIVATE: 'true',
} as const

/** Starts a server with all ways open, and makes accounts on it. */
export async function startCrossings(env: Record<string, string> = {}): Promise<Crossings> {
  const smtpPort = await freePort()
  const server = await startServerWithDevices({
    ...SETTINGS,
    SMTP_PORT: String(smtpPort),
    ...env,
  })
  return openCrossings(server, smtpPort)
}

/** The same over a server that runs. */
export const openCrossings = async (
  server: ServerWithDevices,
  smtpPort: number,
): Promise<Crossings> => ({
  server,
  url: server.url,
  smtpPort,
  outside: (await startOutside()).url,
  query: server.query,
  makeShop: () => makeShop(server),
})

async function makeShop(server: ServerWithDevices): Promise<Shop> {
  const user = (await server.makeUser()) as Shop['user']
  return furnishShop(user, await server.pair(user, { phone: PHONES_NUMBER }))
}

/** Gives an account and its first phone, which has a number, what the ways need. */
export async function furnishShop(user: Shop['user'], phone: Client): Promise<Shop> {
  const record = (collection: string, values: object) =>
    must(user, 'POST', `/api/collections/${collection}/records`, { user: user.id, ...values })
  const { items } = await must(user, 'GET', '/api/collections/lines/records')
  const line = items[0].id
  await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'on' })
  const { id: keyId, key } = await record('api_keys', { name: 'App', scopes: ['all:any'] })
  const twilio = await record('api_keys', { name: 'Twilio', twilio: true })
  const { id: template } = await record('sms_templates', { name: 'One', body: '{{words}}' })
  const hook = await record('hooks', {
    name: 'Alarm',
    preset: 'text',
    recipients_from: 'to',
    pictures_from: 'image',
  })
  return { user, phone, line, keyId, key, twilio, template, hook }
}

const byKey = ({ key }: Shop, more: Record<string, string> = {}) => ({ 'x-api-key': key, ...more })
const once = ({ key }: Text): Record<string, string> => (key ? { 'idempotency-key': key } : {})

/** A form with a photo, as `curl -F` sends it. */
function sendForm(at: Place, shop: Shop, text: Text, fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    recipients: text.to,
    body: text.words,
    ...(text.reference && { client_ref: text.reference }),
    ...fields,
  }))
    form.append(name, value)
  const name = text.photo ?? 'menu.jpg'
  form.append('attachments', new Blob([new Uint8Array(PHOTOS[name])], { type: typeOf(name) }), name)
  return request(at.url, 'POST', '/api/sms/send', form, byKey(shop, once(text)))
}

/** The pictures of a text, by their addresses. */
const pictures = (at: Place, text: Text) => text.photo && { attachments: [addressOf(at, text)] }

const sendJson = (at: Place, shop: Shop, text: Text, more: object = {}) =>
  request(
    at.url,
    'POST',
    '/api/sms/send',
    {
      recipients: [text.to],
      body: text.words,
      ...(text.reference && { client_ref: text.reference }),
      ...pictures(at, text),
      ...more,
    },
    byKey(shop, once(text)),
  )

/** The address of the picture of a text. */
const addressOf = (at: Place, { photo = 'menu.jpg' }: Text) => `${at.outside}/${photo}`

const addressed = (at: Place, text: Text) =>
  text.photo ? { attachments: [addressOf(at, text)] } : {}

const asOwner = (at: Place, { user }: Shop, path: string, body: object, text: Text) =>
  request(at.url, 'POST', path, body, { authorization: user.token, ...once(text) })

/** Calls a tool as MCP's HTTP transport does. An error of the tool counts as 400. */
async function callTool(at: Place, shop: Shop, text: Text) {
  const { to, words, key, photo } = text
  const given = {
    recipients: [to],
    body: words,
    ...(key && { idempotency_key: key }),
    ...(photo && { attachments: [addressOf(at, text)] }),
  }
  const params = { name: 'send_message', arguments: given }
  const headers = byKey(shop, { accept: 'application/json, text/event-stream' })
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const answer = await request(at.url, 'POST', '/mcp', [call], headers)
  const result = /^data: ([{].*)$/m.exec(answer.text)?.[1]
  if (!result) return answer
  return { status: JSON.parse(result).result?.isError ? 400 : 200, text: result }
}

async function sendMail(
  at: Place,
  { user, key }: Shop,
  { to, words, key: id, photo: filename }: Text,
) {
  const transport = createTransport({
    host: '127.0.0.1',
    port: at.smtpPort,
    ignoreTLS: true,
    auth: { user: user.email, pass: key },
  })
  try {
    const { response } = await transport.sendMail({
      from: 'cron@example.com',
      to: `${to}@sms.example.com`,
      text: words,
      ...(id && { messageId: `<${id}@example.com>` }),
      ...(filename && { attachments: [{ filename, content: PHOTOS[filename] }] }),
    })
    return { status: 200, text: response }
  } catch (error) {
    const { responseCode = 400 } = error as { responseCode?: number }
    // 451 and the like: later; 5xx: never
    return { status: responseCode, text: String(error) }
  } finally {
    transport.close()
  }
}

/** A phone gets a text that an automatic answer answers. */
async function answerText(at: Place, { user, phone }: Shop, { to, words, photo: name }: Text) {
  const ask = `ask${Math.random().toString(36).slice(2)}`
  const form = new FormData()
  const fields = { user: user.id, match: 'words', value: ask, body: words, enabled: 'true' }
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  if (name) form.append('attachments', new Blob([new Uint8Array(PHOTOS[name])]), name)
  const path = '/api/collections/auto_answers/records'
  const made = await request(at.url, 'POST', path, form, { authorization: user.token })
  if (made.status !== 200) throw new Error(`No automatic answer: ${made.text}`)
  return () => receiveText(phone, to, ask)
}

/** A phone gets a text of a person. */
function receiveText(phone: Client, from: string, body: string) {
  const items = [{ from, body, received_at: new Date().toISOString() }]
  return phone.call('POST', '/api/devices/incoming', { items })
}

/** The owner of a phone writes on the phone itself to somebody with a conversation. */
async function typeText(_: Place, { user, phone }: Shop, text: Text) {
  const { to, words, typedAt = new Date().toISOString() } = text
  await user.call('POST', '/api/collections/conversations/records', { user: user.id, number: to })
  const items = [{ to, body: words, sent_at: typedAt }]
  return phone.call('POST', '/api/devices/typed', { items })
}

/** A repetition whose first run is due. */
async function repeatText(at: Place, shop: Shop, text: Text) {
  const answer = await asOwner(
    at,
    shop,
    '/api/campaigns',
    {
      recipients: [text.to],
      body: text.words,
      ...pictures(at, text),
      repeat: { cron: '*/5 * * * *', time_zone: 'UTC', missed: 'once' },
    },
    text,
  )
  if (answer.status >= 300) return answer
  await at.query(
    `update campaigns set scheduled_at = pb_text(now() - interval '1 second') where id = $1`,
    [answer.body.id],
  )
  await at.query('update _jobs set due_at = now() where key = $1', [answer.body.id])
  return answer
}

/** A reminder that is due today, for a contact with a date. */
async function remindText(at: Place, shop: Shop, text: Text) {
  const { user } = shop
  const make = (collection: string, body: object) =>
    user.call('POST', `/api/collections/${collection}/records`, { user: user.id, ...body })
  // both may be there from an earlier text
  await make('contact_fields', { name: 'Due', type: 'date' })
  await make('contacts', { name: 'Guest', phone: text.to })
  const day = new Date().toISOString().slice(0, 10)
  await at.query('update contacts set data = $1 where "user" = $2 and phone = $3', [
    JSON.stringify({ Due: day }),
    user.id,
    text.to,
  ])
  const reminder = {
    collection: 'contacts',
    field: 'Due',
    offset: { days: 0, at: '00:00' },
    filter: `phone = "${text.to}"`,
  }
  const body = { body: text.words, hold_seconds: 0, ...pictures(at, text), reminder }
  return asOwner(at, shop, '/api/campaigns', body, text)
}

function callHook(at: Place, { hook }: Shop, text: Text) {
  const body = { to: text.to, text: text.words, ...(text.photo && { image: addressOf(at, text) }) }
  return request(at.url, 'POST', `/api/hooks/${hook.secret}`, body)
}

/** A person texts the word by which they join a group, and gets a question. */
async function joinGroup(_: Place, { user, phone }: Shop, { to }: Text) {
  const word = `JOIN${Math.random().toString(36).slice(2, 8)}`.toUpperCase()
  await must(user, 'POST', '/api/collections/contact_groups/records', {
    user: user.id,
    name: word,
    join_words: word,
    join_confirm: true,
  })
  return () => receiveText(phone, to, word)
}

/** A visitor asks to join a group by its page, which texts the number a question. */
async function joinByPage(at: Place, { user }: Shop, { to }: Text) {
  const group = await must(user, 'POST', '/api/collections/contact_groups/records', {
    user: user.id,
    name: `Page ${crypto.randomUUID()}`,
    join_page: true,
  })
  const page = await request(at.url, 'GET', `/join/${group.id}`)
  const version = /name="version" value="(\w+)"/.exec(page.text)?.[1]
  if (!version) throw new Error(`${page.status} ${page.text}`)
  const form = new URLSearchParams({ country: '', number: to, agree: 'yes', version })
  return () => request(at.url, 'POST', `/join/${group.id}`, form)
}

/** A person texts a number whose app answers the call of Twilio's form with a reply. */
async function replyByTwiml(at: Place, shop: Shop, text: Text) {
  const { account_sid, auth_token } = shop.twilio
  const login = basic(account_sid, auth_token)
  const numbers = `/2010-04-01/Accounts/${account_sid}/IncomingPhoneNumbers`
  const listed = await request(at.url, 'GET', `${numbers}.json`, undefined, login)
  if (listed.status >= 300) throw new Error(listed.text)
  const query = new URLSearchParams({
    words: text.words,
    ...(text.photo && { photo: addressOf(at, text) }),
  })
  const set = await request(
    at.url,
    'POST',
    `${numbers}/${listed.body.incoming_phone_numbers[0].sid}.json`,
    new URLSearchParams({ SmsUrl: `${at.outside}/app?${query}` }),
    login,
  )
  if (set.status >= 300) throw new Error(set.text)
  return () => receiveText(shop.phone, text.to, 'Hello')
}

let references = 0
/** A bearerbox sends a text in two parts. Returns the first answer that is no success, else the last. */
async function sendParts(at: Place, { user, key }: Shop, { to, words }: Text) {
  const half = Math.floor(words.length / 2)
  const parts = [words.slice(0, half), words.slice(half)]
  const reference = (++references % 256).toString(16).padStart(2, '0')
  let answer: Answer | undefined
  for (const [i, text] of parts.entries()) {
    const query = new URLSearchParams({ username: user.id, password: key, to, text })
    const udh = `050003${reference}0${parts.length}0${i + 1}`.replaceAll(/../g, '%$&')
    const url = i > 0 && at.beside ? at.beside : at.url
    answer = await request(url, 'GET', `/cgi-bin/sendsms?${query}&udh=${udh}`)
    if (answer.status >= 300) break
  }
  return answer!
}

type Prepare = NonNullable<Way['prepare']>
/** A way whose account prepares something first, and a text then follows by itself. */
const prepared = (prepare: Prepare): Pick<Way, 'prepare' | 'send'> => ({
  prepare,
  send: async (at, shop, text) => (await prepare(at, shop, text))(),
})

/** Sends a text through a row of the crossing table (`table.ts`). */
export const WAYS: Readonly<Record<string, Way>> = {
  text: { send: sendJson },
  template: {
    send: (at, shop, text) => {
      const variables = { words: text.words }
      const body = {
        recipients: [text.to],
        template_id: shop.template,
        variables,
        ...pictures(at, text),
        ...(text.reference && { client_ref: text.reference }),
        ...addressed(at, text),
      }
      return request(at.url, 'POST', '/api/sms/send-template', body, byKey(shop, once(text)))
    },
  },
  file: { send: sendForm, hasFile: true },
  address: {
    send: (at, shop, text) => sendJson(at, shop, text, { attachments: [addressOf(at, text)] }),
    hasFile: true,
  },
  link: {
    send: async (at, shop, text) => {
      const line = `/api/collections/lines/records/${shop.line}`
      await shop.user.call('PATCH', line, { mms: 'off' })
      return sendForm(at, shop, text, { mms: 'or_link' })
    },
    hasFile: true,
  },
  code: {
    send: (at, shop, { to }) => request(at.url, 'POST', '/api/verify', { to }, byKey(shop)),
    hasOwnWords: true,
  },
  scheduled: {
    send: (at, shop, text) =>
      sendJson(at, shop, text, { scheduled_at: LATER, ...addressed(at, text) }),
    isLater: true,
  },
  undo: {
    send: (at, shop, text) =>
      sendJson(at, shop, text, { undo_seconds: 60, ...addressed(at, text) }),
    isLater: true,
  },
  campaign: {
    send: (at, shop, text) => {
      const to = { recipients: [text.to], hold_seconds: 0 }
      const body = { ...to, body: text.words, ...pictures(at, text) }
      return asOwner(at, shop, '/api/campaigns', body, text)
    },
    isOwn: true,
    isWithoutKey: true,
    isOfCampaign: true,
  },
  list: {
    send: (at, shop, text) => {
      const rows = { list: [{ to: text.to }], hold_seconds: 0 }
      const body = { ...rows, body: text.words, ...pictures(at, text) }
      return asOwner(at, shop, '/api/campaigns', body, text)
    },
    isOwn: true,
    isWithoutKey: true,
    isOfCampaign: true,
  },
  recurring: { send: repeatText, isOwn: true, isWithoutKey: true, isOfCampaign: true },
  reminder: { send: remindText, isOwn: true, isWithoutKey: true, isOfCampaign: true },
  answer: {
    ...prepared(answerText),
    isOwn: true,
    isWithoutKey: true,
    wordsStayIn: 'auto_answers',
  },
  join: {
    ...prepared(joinGroup),
    isOwn: true,
    isWithoutKey: true,
    hasOwnWords: true,
    isOwnWish: true,
  },
  hook: { send: callHook, isWithoutKey: true, hasPicturesOnly: true },
  mail: { send: sendMail, isKeyOfWords: true, hasPicturesOnly: true },
  typed: { send: typeText, isWithoutKey: true, hasLeft: true },
  twilio: {
    send: (at, { twilio: { account_sid, auth_token } }, text) => {
      const form = new URLSearchParams({
        To: text.to,
        Body: text.words,
        ...(text.photo && { MediaUrl: addressOf(at, text) }),
      })
      const headers = { ...basic(account_sid, auth_token), ...once(text) }
      const path = `/2010-04-01/Accounts/${account_sid}/Messages.json`
      return request(at.url, 'POST', path, form, headers)
    },
    isOfTwilio: true,
  },
  twiml: { ...prepared(replyByTwiml), isOwn: true, isOfTwilio: true },
  smsgateClient: {
    send: (at, { user, key }, text) => {
      const { to, words, photo: name, reference } = text
      const mms = name && {
        text: words,
        attachments: [{ contentType: typeOf(name), name, data: PHOTOS[name].toString('base64') }],
      }
      const body = {
        ...(mms ? { mmsMessage: mms } : { textMessage: { text: words } }),
        phoneNumbers: [to],
        ...(reference && { id: reference }),
      }
      const headers = { ...basic(user.id, key), ...once(text) }
      return request(at.url, 'POST', '/api/3rdparty/v1/messages', body, headers)
    },
  },
  mcp: { send: callTool },
  smseagle: {
    send: (at, { key }, { to, words }) =>
      request(
        at.url,
        'POST',
        '/api/v2/messages/sms',
        { to: [to], text: words },
        { 'access-token': key },
      ),
  },
  kannel: {
    send: (at, { user, key }, { to, words }) => {
      const query = new URLSearchParams({ username: user.id, password: key, to, text: words })
      return request(at.url, 'GET', `/cgi-bin/sendsms?${query}`)
    },
  },
  parts: { send: sendParts },
  smsGateway: {
    send: (at, shop, { to, words }) =>
      request(at.url, 'POST', '/api/v1/sms/send', { to, body: words }, byKey(shop)),
  },
  vendel: {
    send: (at, shop, text) =>
      request(
        at.url,
        'POST',
        '/vendel/api/sms/send',
        { recipients: [text.to], body: text.words },
        byKey(shop, once(text)),
      ),
  },
}

/** Second ways of a row of the table, by the row's name. */
export const MORE_WAYS: Readonly<
  Record<string, readonly { readonly title: string; readonly way: Way }[]>
> = {
  join: [
    {
      title: 'the page on which a person joins',
      way: { ...prepared(joinByPage), isWithoutKey: true, hasOwnWords: true },
    },
  ],
}

/** Whether the way has taken the text. */
export const isAccepted = ({ status, text = '' }: Sent): boolean =>
  status < 300 && !/"outcome":"(?!sent|waiting)/.test(text)

/** The account's outgoing texts to a number, the oldest first. */
export const textsTo = async ({ query }: Place, { user }: Shop, to: string) =>
  (
    await query(
      `select id, status, error_message, body from sms_messages
      where "user" = $1 and "to" = $2 and message_type = 'outgoing' order by _rowid`,
      [user.id, to],
    )
  ).map(([id, status, error, body]) => ({
    id: String(id),
    status: String(status),
    error: String(error),
    body: String(body),
  }))

/** Waits until the text is stored, and returns it. */
export const storedText = (at: Place, shop: Shop, to: string) =>
  until('the stored text', async () => (await textsTo(at, shop, to))[0])

/** Lets texts of the account that wait for their time be due. */
export const hurry = ({ query }: Place, { user }: Shop) =>
  query(
    `update sms_dispatch set due_at = now() where "user" = $1 and state = 'pending'
    and due_at > now()`,
    [user.id],
  )

/** A text as a phone gets it. */
export interface HandedOut {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
  readonly attachments?: readonly { readonly url: string }[]
}

/** What a phone is handed out of the texts that are due, until none of the account is left. */
export async function handOut(at: Place, shop: Shop) {
  const got: HandedOut[] = []
  let seen: unknown
  const ended = until('the texts of the account to end or leave', async () => {
    await hurry(at, shop)
    const { status, body } = await shop.phone.call('POST', '/api/devices/claim', { mms: true })
    got.push(...(body?.items ?? []))
    const stays = `select row_to_json(d) from sms_dispatch d where "user" = $1 and state <> 'sending'`
    const open = await at.query(stays, [shop.user.id])
    seen = [open, status, body]
    return open.length === 0
  })
  await ended.catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(seen)}`)
  })
  return got
}

/**
 * Waits until no job and no call of the account is due or runs: what its ways do by themselves is done. A job
 * that runs is due again at the end of its lease.
 */
export const finishJobs = async ({ query }: Place, { user }: Shop) => {
  const due = `select 1 from _jobs where holder = $1
      and (due_at <= now() or attempts > 0 and due_at <= now() + interval '41 seconds')
    union all select 1 from webhook_dispatch where "user" = $1
      and (due_at <= now() or handed_at is not null)`
  await until('the end of the jobs', async () => (await query(due, [user.id])).length === 0)
}

/** Sends a new text by the way and waits until it is stored. */
export async function sendOne(at: Place, shop: Shop, way: Way, more: Partial<Text> = {}) {
  const text = { to: nextNumber(), words: nextWords(), ...more }
  const answer = await way.send(at, shop, text)
  if (!isAccepted(answer)) throw new Error(`The text was refused: ${JSON.stringify(answer)}`)
  return { ...text, stored: await storedText(at, shop, text.to) }
}
