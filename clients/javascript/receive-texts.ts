import { type Connection, makeError, PocketSmsError, pause, requestJson } from './request.ts'
import type { SmsMessage } from './types.ts'

export interface ReceiveOptions {
  /** Also the texts that arrived since then. Default: only those that arrive from now on. */
  readonly since?: Date | string
  readonly signal?: AbortSignal
}

const RECORDS = '/api/collections/sms_messages/records'
const RECEIVED = 'message_type = "incoming"'
const RECONNECT_MS = 2_000
/** The server writes to a stream at least every 15 seconds. */
const SILENCE_MS = 60_000
const PER_PAGE = 200
/** Received texts that are remembered, so that none is returned twice. */
const MAX_SEEN = 1_000
/** Of answers that another attempt does not change. */
const IS_FINAL = new Set([400, 401, 403])

/** Received texts by PocketBase's realtime. See PocketSms.receive */
export async function* receiveTexts(
  { url, headers }: Connection,
  { since, signal }: ReceiveOptions = {},
): AsyncGenerator<SmsMessage, void, undefined> {
  // a copy, because the token is renewed
  const connection = { url, headers: { ...headers } }
  const seen = new Set<string>()
  let newest = since && new Date(since).toISOString().replace('T', ' ')
  const isNew = ({ id, created }: SmsMessage) => {
    if (seen.has(id)) return false
    seen.add(id)
    if (seen.size > MAX_SEEN) seen.delete(seen.values().next().value!)
    if (!newest || created > newest) newest = created
    return true
  }
  let isFirst = newest === undefined
  while (!signal?.aborted) {
    const hangUp = new AbortController()
    const abort = () => hangUp.abort()
    signal?.addEventListener('abort', abort)
    const events = readEvents(connection, hangUp)
    try {
      await renewToken(connection, hangUp.signal)
      if (isFirst) for (const text of await listNewest(connection, hangUp.signal)) isNew(text)
      isFirst = false
      const { value: first } = await events.next()
      await subscribe(connection, first?.clientId, hangUp.signal)
      for await (const text of listSince(connection, newest, hangUp.signal))
        if (isNew(text)) yield text
      for await (const { action, record } of events)
        if (action === 'create' && record && isNew(record)) yield record
    } catch (error) {
      if (error instanceof PocketSmsError && IS_FINAL.has(error.status)) throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      hangUp.abort()
      await events.return(undefined)
    }
    await pause(RECONNECT_MS, signal).catch(() => {})
  }
}

/** Throws 401 for a wrong or old token, with which the server would show no texts. */
async function renewToken(connection: Connection, signal: AbortSignal): Promise<void> {
  const path = '/api/collections/users/auth-refresh'
  const answer = await requestJson<{ token: string }>(connection, path, { method: 'POST', signal })
  connection.headers.authorization = `Bearer ${answer.token}`
}

async function listTexts(
  connection: Connection,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly SmsMessage[]> {
  const path = `${RECORDS}?${new URLSearchParams({ skipTotal: 'true', ...query })}`
  return (await requestJson<{ items: SmsMessage[] }>(connection, path, { signal })).items
}

const listNewest = (connection: Connection, signal: AbortSignal) =>
  listTexts(connection, { filter: RECEIVED, sort: '-created', perPage: '1' }, signal)

async function* listSince(connection: Connection, since: string | undefined, signal: AbortSignal) {
  const filter = since ? `${RECEIVED} && created >= "${since}"` : RECEIVED
  for (let page = 1; ; page++) {
    const query = { filter, sort: 'created,id', perPage: String(PER_PAGE), page: String(page) }
    const texts = await listTexts(connection, query, signal)
    yield* texts
    if (texts.length < PER_PAGE) return
  }
}

interface RealtimeEvent {
  readonly clientId?: string
  readonly action?: string
  readonly record?: SmsMessage
}

function subscribe(
  connection: Connection,
  clientId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const options = encodeURIComponent(JSON.stringify({ query: { filter: RECEIVED } }))
  const body = {
    clientId,
    subscriptions: [`sms_messages/*?options=${options}`],
  }
  return requestJson(connection, '/api/realtime', { method: 'POST', body, signal })
}

/** The events of a new stream. The first one has the `clientId`. */
async function* readEvents(
  { url, headers }: Connection,
  hangUp: AbortController,
): AsyncGenerator<RealtimeEvent, undefined, undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expectBytes = () => {
    clearTimeout(timer)
    timer = setTimeout(() => hangUp.abort(), SILENCE_MS)
  }
  try {
    expectBytes()
    const response = await fetch(`${url}/api/realtime`, { headers, signal: hangUp.signal })
    if (!response.ok) throw makeError(response, await response.text())
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read()
      if (done) return undefined
      expectBytes()
      const events = (rest + value).split('\n\n')
      rest = events.pop()!
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1]
        if (data) yield JSON.parse(data) as RealtimeEvent
      }
    }
  } finally {
    clearTimeout(timer)
  }
}
