import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../errors.ts'
import { lockFile } from '../tools/lock-file.ts'
import { connect } from './agent.ts'
import type { Driver } from './driver.ts'
import { openJournal } from './journal.ts'
import { call, persist, ServerRefusal } from './server.ts'
import { readState, saveState } from './state.ts'

const RENEW_MS = 86_400_000
const RENEW_BEFORE_MS = 30 * 86_400_000

/** Runs a driver as the device in `file` until `ended`. Throws a UserError if the server refuses it. */
export async function runAgent(
  file: string,
  driver: Driver,
  say: (line: string) => void,
  ended: AbortSignal,
): Promise<void> {
  let state = readState(file)
  // a second agent with the same state would send the same texts
  const lock = `${file}.pid`
  const unlock = lockFile(lock, (owner) => `Process ${owner} runs as this device already (${lock}).`)
  const journal = openJournal(`${file}.journal`)
  const failed = new AbortController()
  const all = AbortSignal.any([ended, failed.signal])
  const renew = async () => {
    if (endOf(state.token) - Date.now() <= RENEW_BEFORE_MS) {
      const path = '/api/collections/devices/auth-refresh'
      const { body } = await call<{ token: string }>(state, path, {})
      state = { ...state, token: body.token }
      saveState(file, state)
    }
    await sleep(RENEW_MS, undefined, { signal: all }).catch(() => {}) // ended
  }
  try {
    const parts = [connect(() => state, driver, journal, say, all), persist(renew, all)]
    await Promise.all(parts.map((part) => part.finally(() => failed.abort())))
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error
    const again = `Delete ${file} and pair again: agent start URL CODE`
    throw new UserError(
      error.status === 401 ? `The server does not know this device. ${again}` : error.message,
    )
  } finally {
    journal.close()
    unlock()
  }
}

/** A token's expiry in milliseconds since 1970; Infinity without one. */
function endOf(token: string): number {
  const [, payload = ''] = token.split('.')
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}')
  return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY
}
