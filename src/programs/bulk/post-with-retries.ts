import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../platform/api-errors.ts'
import type { BulkJob } from './job-from-csv.ts'

/** The server's final answer: not a temporary error, which is retried. */
export interface ApiResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const TIMEOUT_MS = 30_000
const PASSING = new Set([408, 425, 429])
/** Pauses between tries. After the last, the server counts as unreachable. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]

/** Posts JSON. Retries if there is no answer or a temporary error. Throws a UserError when it gives up. */
export async function postWithRetries(
  { url, key }: BulkJob,
  path: string,
  body: unknown,
): Promise<ApiResponse> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await tryPost(url + path, key, JSON.stringify(body))
    if (answer) return answer
    if (pauseMs !== undefined) await sleep(pauseMs)
  }
  throw new UserError(
    `${url} does not answer. Repeat the command later: it continues where this one ended.`,
  )
}

async function tryPost(url: string, key: string, body: string): Promise<ApiResponse | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    const answer = (await response.json()) as ApiResponse['body']
    // `no_devices` is not temporary: the user has to add a device
    const isPassing = PASSING.has(status) || (status >= 500 && answer.error !== 'no_devices')
    return isPassing ? undefined : { status, body: answer }
  } catch {
    return undefined
  }
}
