/** A server and who we are to it. */
export interface Server {
  /** Without a closing slash. */
  readonly url: string
  /** Empty before pairing. */
  readonly token: string
}

/** The server cannot be reached or is not well: the same again later may work. */
export class ServerUnavailable extends Error {
  override name = 'ServerUnavailable'
}

/** The server said no: the same again will not work. */
export class ServerRefusal extends Error {
  override name = 'ServerRefusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Whether the server refuses because the device or its account is disabled; it may be enabled again. */
export const isDisabledRefusal = (error: unknown): error is ServerRefusal =>
  error instanceof ServerRefusal && error.status === 403

/** Whether the same request may succeed later: the server is away, or the device is disabled. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ServerUnavailable || isDisabledRefusal(error)

/** What the server said. */
export interface ServerResponse<T> {
  readonly body: T
  /** The server's clock when it answered, to the second. */
  readonly serverTime: number
}

const TIMEOUT_MS = 15_000
/** Statuses below 500 that pass; 404 is what a proxy says while the server behind it is away. */
const PASSING = new Set([404, 408, 425, 429])

/** One request with a JSON body. Throws ServerUnavailable (also when `signal` aborts), ServerRefusal. */
export async function call<T>(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<ServerResponse<T>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const response = await ask(server, path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
  try {
    const text = await response.text()
    const serverTime = Date.parse(response.headers.get('date') ?? '') || Date.now()
    return { body: (text === '' ? undefined : JSON.parse(text)) as T, serverTime }
  } catch (error) {
    throw new ServerUnavailable('The answer broke off.', { cause: error })
  }
}

/** One request; its body is not read yet. */
export async function ask(server: Server, path: string, init: RequestInit): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(server.token && { authorization: `Bearer ${server.token}` }),
  }
  const response = await fetch(server.url + path, { ...init, headers, redirect: 'error' }).catch((error) => {
    throw new ServerUnavailable(`${server.url} cannot be reached.`, { cause: error })
  })
  if (response.ok) return response
  const { status } = response
  const message = await sentenceOf(response)
  if (status >= 500 || PASSING.has(status)) throw new ServerUnavailable(message)
  throw new ServerRefusal(status, message)
}

async function sentenceOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined) // a proxy's page
  const message = (body as { message?: unknown } | undefined)?.message
  return typeof message === 'string' ? message : `The server answered ${response.status}.`
}
