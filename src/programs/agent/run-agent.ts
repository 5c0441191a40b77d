import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError, UserError } from '../../platform/api-errors.ts'
import { lockFile } from '../../platform/tools/lock-file.ts'
import { loadAgentState, saveState } from './agent-state.ts'
import type { Driver } from './driver-interface.ts'
import { runDriver } from './run-driver.ts'
import { openJournal } from './send-journal.ts'
import { callServer, makeHttpLink, retryUntilEnded } from './server-link.ts'

const RENEW_MS = 86_400_000
/** The pause after a new token that could not be saved. The old one is valid for weeks. */
const SAVE_MS = 60_000
const RENEW_BEFORE_MS = 30 * 86_400_000

/** Runs a driver as the device of a state file until `ended`. Throws a UserError if the server refuses it. */
export async function runAgent(
  file: string,
  driver: Driver,
  say: (line: string) => void,
  ended: AbortSignal,
): Promise<void> {
  let state = loadAgentState(file)
  // a second agent with this state file would send the same texts
  const lock = `${file}.pid`
  const unlock = lockFile(
    lock,
    (owner) => `Process ${owner} runs as this device already (${lock}).`,
  )
  const journal = openJournal(`${file}.journal`)
  const failed = new AbortController()
  const all = AbortSignal.any([ended, failed.signal])
  let isSaved = true
  const trySaving = () => {
    try {
      saveState(file, state)
      return true
    } catch (error) {
      say(`${(error as Error).message} The agent tries again.`)
      return false
    }
  }
  const renew = async () => {
    if (readTokenExpiry(state.token) - Date.now() <= RENEW_BEFORE_MS) {
      const path = '/api/collections/devices/auth-refresh'
      const { body } = await callServer<{ token: string }>(state, path, {})
      state = { ...state, token: body.token }
      isSaved = false
    }
    if (!isSaved) isSaved = trySaving()
    await sleep(isSaved ? RENEW_MS : SAVE_MS, undefined, { signal: all }).catch(() => {}) // ended
  }
  try {
    const parts = [
      runDriver(
        makeHttpLink(() => state),
        driver,
        journal,
        say,
        all,
      ),
      retryUntilEnded(renew, all),
    ]
    await Promise.all(parts.map((part) => part.finally(() => failed.abort())))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const again = `Delete ${file} and pair again: agent start URL CODE`
    throw new UserError(
      error.status === 401 ? `The server does not know this device. ${again}` : error.message,
    )
  } finally {
    journal.close()
    unlock()
  }
}

/** When a token expires, in milliseconds since 1970; Infinity if it never expires. */
function readTokenExpiry(token: string): number {
  const [, payload = ''] = token.split('.')
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}')
  return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY
}
