import { makeError, noAnswer, notOurs, PocketSmsError } from './errors.ts'
import { type Connection, pause, requestJson, tryRequest } from './request.ts'
import type { SmsMessage } from './types.ts'

export interface ReceiveOptions {
  /** Also the texts that arrived since then. Default: only those that arrive from now on. */
  readonly since?: Date | string
  /** Called when the connection is lost, or cannot be made for the moment, before it is made again. */
  readonly onError?: (error: PocketSmsError) => void
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
/** The longest pause that a server can ask for. */
const MAX_PAUSE_MS = 600_000

/** Received texts by PocketBase's realtime. See PocketSms.receive */
export async function* receiveTexts(
  given: Connection,
  { since, signal, onError }: ReceiveOptions = {},
): AsyncGenerator<SmsMessage, void, undefined> {
  if (!given.headers.authorization)
    throw new PocketSmsError(
      401,
      'token_required',
      'receive() needs { token }: a key reads no records',
    )
  // a copy, because the token is renewed
  const connection = { ...given, headers: { ...given.headers } }
  const seen = new Set<string>()
  let newest = since && readSince(since)
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
    let pauseMs = RECONNECT_MS
    try {
      await renewToken(connection, hangUp.signal)
      if (isFirst) for (const text of await listNewest(connection, hangUp.signal)) isNew(text)
      isFirst = false
      const { value: first } = await events.next()
      await subscribe(connection, first, hangUp.signal)
      for await (const text of listSince(connection, newest, hangUp.signal))
        if (isNew(text)) yield text
      for await (const { action, record } of events)
        if (action === 'create' && record && isNew(record)) yield record
    } catch (failure) {
      if (signal?.aborted) return
      // the silence of a server hangs up, too
      const error = hangUp.signal.aborted ? noAnswer(failure) : failure
      if (!(error instanceof PocketSmsError && error.isTemporary)) throw error
      onError?.(error)
      pauseMs = Math.min(Math.max(RECONNECT_MS, error.retryAfterMs), MAX_PAUSE_MS)
    } finally {
      signal?.removeEventListener('abort', abort)
      hangUp.abort()
      await events.return(undefined)
    }
    await pause(pauseMs, signal).catch(() => {})
  }
}

/** The form of records' times. Throws `invalid_request` for what is no time. */
function readSince(since: Date | string): string {
  const at = new Date(since)
  if (Number.isFinite(at.getTime())) return at.toISOString().replace('T', ' ')
  throw new PocketSmsError(0, 'invalid_request', `since is no time: ${since}`)
}

/** Throws 401 for a wrong or old token, with which the server would show no texts. */
async function renewToken(connection: Connection, signal: AbortSignal): Promise<void> {
  const path = '/api/collections/users/auth-refresh'
  const options = { method: 'POST', signal }
  const answer = await requestJson<{ token: string }>(connection, path, 'token', options)
  connection.headers.authorization = `Bearer ${answer.token}`
}

async function listTexts(
  connection: Connection,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly SmsMessage[]> {
  const path = `${RECORDS}?${new URLSearchParams({ skipTotal: 'true', ...query })}`
  return (await requestJson<{ items: SmsMessage[] }>(connection, path, 'items', { signal })).items
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

async function subscribe(
  connection: Connection,
  first: RealtimeEvent | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!first) throw noAnswer('the stream ended')
  if (!first.clientId) throw notOurs(200, JSON.stringify(first))
  const options = encodeURIComponent(JSON.stringify({ query: { filter: RECEIVED } }))
  const body = {
    clientId: first.clientId,
    subscriptions: [`sms_messages/*?options=${options}`],
  }
  const post = requestJson<void>(connection, '/api/realtime', '', { method: 'POST', body, signal })
  // 404: the stream has ended meanwhile
  await post.catch((error) => {
    throw error.status === 404 ? noAnswer(error) : error
  })
}

/** The events of a new stream. The first one has the `clientId`. */
async function* readEvents(
  connection: Connection,
  hangUp: AbortController,
): AsyncGenerator<RealtimeEvent, undefined, undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expectBytes = () => {
    clearTimeout(timer)
    timer = setTimeout(() => hangUp.abort(), SILENCE_MS)
  }
  try {
    expectBytes()
    const asked = { method: 'GET', path: '/api/realtime', attempt: 1 }
    const { signal } = hangUp
    const stream = await tryRequest(connection, asked, { signal }, openStream, Infinity)
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read().catch((error) => {
        throw noAnswer(error)
      })
      if (done) return undefined
      expectBytes()
      const events = (rest + value).split('\n\n')
      rest = events.pop()!
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1]
        if (data) yield readEvent(data)
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

async function openStream(response: Response) {
  if (!response.ok) throw makeError(response, await response.text())
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw notOurs(response.status, await response.text())
  return response.body!
}

function readEvent(data: string): RealtimeEvent {
  try {
    return JSON.parse(data)
  } catch {
    throw notOurs(200, data)
  }
}
