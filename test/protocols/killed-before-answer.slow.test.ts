import { freePort } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { basic, request } from '../support/server/request.ts'
import { type Client, must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeBreakableProxy } from '../support/services/breakable-proxy.ts'

// A server is killed when its database has committed a send, before it can answer. The client asks the same
// again at another server. Kannel's parts: kannel-parts-killed.slow.test.ts.

const server = await startServerWithDevices()
const TO = '+4915112345678'
const BODY = 'Your parcel arrives tomorrow.'

interface Account {
  readonly user: Client & { readonly email: string }
  readonly key: string
  readonly twilio: { readonly account_sid: string; readonly auth_token: string }
}

async function makeAccount(): Promise<Account> {
  const user = (await server.makeUser()) as Account['user']
  await server.pair(user, { phone: '+4915999999999' })
  const record = (values: object) =>
    must(user, 'POST', '/api/collections/api_keys/records', {
      user: user.id,
      name: 'App',
      ...values,
    })
  const { key } = await record({ scopes: ['all:any'] })
  return { user, key, twilio: await record({ twilio: true }) }
}

/** A request that sends one text, with what makes its repetition known. `idOf`: the text that is answered. */
interface Door {
  readonly name: string
  readonly send: (url: string, account: Account) => ReturnType<typeof request>
  // biome-ignore lint/suspicious/noExplicitAny: bodies differ by their API
  readonly idOf?: (body: any) => string
}

const ONCE = { 'idempotency-key': 'order-1' }
const SEND = { recipients: [TO], body: BODY }
const findFirstId = ({ message_ids }: { message_ids: string[] }) => message_ids[0]!
const decodeSid = (sid: string) => Buffer.from(sid.slice(2, -2), 'hex').toString()

const DOORS: readonly Door[] = [
  {
    name: 'the own API',
    send: (url, { key }) =>
      request(url, 'POST', '/api/sms/send', SEND, { 'x-api-key': key, ...ONCE }),
    idOf: findFirstId,
  },
  {
    name: "SMSGate's API",
    send: (url, { user, key }) =>
      request(
        url,
        'POST',
        '/api/3rdparty/v1/messages',
        { phoneNumbers: [TO], textMessage: { text: BODY } },
        { ...basic(user.email, key), ...ONCE },
      ),
    idOf: ({ id }) => id,
  },
  {
    name: "Twilio's API",
    send: (url, { twilio }) =>
      request(
        url,
        'POST',
        `/2010-04-01/Accounts/${twilio.account_sid}/Messages.json`,
        new URLSearchParams({ To: TO, Body: BODY }),
        { ...basic(twilio.account_sid, twilio.auth_token), ...ONCE },
      ),
    idOf: ({ sid }) => decodeSid(sid),
  },
  {
    name: "Vendel's API",
    send: (url, { key }) =>
      request(url, 'POST', '/vendel/api/sms/send', SEND, { 'x-api-key': key, ...ONCE }),
    idOf: findFirstId,
  },
  {
    name: 'MCP',
    send: (url, { key }) =>
      request(
        url,
        'POST',
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'send_message', arguments: { ...SEND, idempotency_key: 'order-1' } },
        },
        { 'x-api-key': key, accept: 'application/json, text/event-stream' },
      ),
  },
]

/** Sends by a server that is killed as soon as its Postgres answers that the text is stored. */
async function sendInVain(door: Door, account: Account): Promise<void> {
  let isArmed = false
  let pid = 0
  const proxy = await makeBreakableProxy(server.server.services.config.databaseUrl!, (piece) => {
    if (!isArmed || !piece.includes('{accepted') || !piece.includes(READY)) return false
    process.kill(pid, 'SIGKILL')
    return true
  })
  await proxy.connect()
  const port = String(await freePort())
  const other = await serve({
    HOST: '127.0.0.1',
    PORT: port,
    DATABASE_URL: proxy.url,
    LOG_LEVEL: 'error',
  })
  pid = other.pid
  isArmed = true
  await expect(door.send(other.url, account)).rejects.toThrow()
  await other.stop()
  await proxy.disconnect()
}

/** ReadyForQuery of Postgres's protocol outside of a transaction: what was answered before is committed. */
const READY = Buffer.from('5a0000000549', 'hex')

test.for(DOORS)(
  '$name answers a repetition of a send whose answer was lost',
  { timeout: 120_000 },
  async (door) => {
    const account = await makeAccount()
    await sendInVain(door, account)
    const rows = () =>
      server.query('select id from sms_messages where "user" = $1', [account.user.id])
    const [[id] = []] = await rows()
    expect(id).toBeDefined()
    const again = await door.send(server.url, account)
    expect([again.status, again.text]).toEqual([expect.toSatisfy((code) => code < 300), again.text])
    if (door.idOf) expect(door.idOf(again.body)).toBe(id)
    expect(again.text).not.toMatch(/"isError":\s*true/)
    const third = await door.send(server.url, account)
    expect([third.status, third.text]).toEqual([again.status, again.text])
    expect(await rows()).toEqual([[id]])
  },
)
