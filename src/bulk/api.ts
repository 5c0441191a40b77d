import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../errors.ts'

/** A server and an API key of it. */
export interface Api {
  /** Without a closing slash. */
  readonly url: string
  readonly key: string
}

/** An answer below 500. */
export interface ApiResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const TIMEOUT_MS = 30_000
const PASSING = new Set([408, 425, 429])
/** Pauses between tries; after the last the server counts as away. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]

/** Posts JSON, again while the server is away. Throws a UserError when it stays so. */
export async function post({ url, key }: Api, path: string, body: unknown): Promise<ApiResponse> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await tryPost(url + path, key, JSON.stringify(body))
    if (answer) return answer
    if (pauseMs !== undefined) await sleep(pauseMs)
  }
  throw new UserError(`${url} does not answer. The same command goes on later where this one ended.`)
}

/** Undefined when trying again may help. */
async function tryPost(url: string, key: string, body: string): Promise<ApiResponse | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    if (status >= 500 && !(await isFinal(response.clone()))) return undefined
    return PASSING.has(status) ? undefined : { status, body: (await response.json()) as ApiResponse['body'] }
  } catch {
    return undefined
  }
}

/** `no_devices` is a 503, too, but one that somebody has to mend. */
async function isFinal(response: Response): Promise<boolean> {
  const body = (await response.json()) as { error?: unknown }
  return body.error === 'no_devices'
}
