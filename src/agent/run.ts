import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../errors.ts'
import { lockFile } from '../tools/lock-file.ts'
import { Agent } from './agent.ts'
import type { Driver } from './driver.ts'
import { Journal } from './journal.ts'
import { call, mayPass, type Server, ServerRefusal } from './server.ts'
import { readState, saveState } from './state.ts'

const RENEW_MS = 86_400_000
const UNAUTHORIZED = 401

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
  const journal = new Journal(`${file}.journal`)
  const renew = async () => {
    const token = await renewToken(state)
    if (!token) return
    state = { ...state, token }
    saveState(file, state)
  }
  const failed = new AbortController()
  const all = AbortSignal.any([ended, failed.signal])
  try {
    const agent = new Agent(() => state, driver, journal, say)
    await Promise.all(
      [agent.run(all), keepRenewing(renew, all)].map((part) => part.finally(() => failed.abort())),
    )
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error
    const again = `Delete ${file} and pair again: agent start URL CODE`
    throw new UserError(
      error.status === UNAUTHORIZED ? `The server does not know this device. ${again}` : error.message,
    )
  } finally {
    journal.close()
    unlock()
  }
}

async function keepRenewing(renew: () => Promise<void>, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      await renew()
    } catch (error) {
      if (!mayPass(error)) throw error
    }
    await sleep(RENEW_MS, undefined, { signal: ended }).catch(() => {}) // ended
  }
}

const RENEW_BEFORE_MS = 30 * 86_400_000

/** A token's expiry in milliseconds since 1970; Infinity without one. */
function endOf(token: string): number {
  const [, payload = ''] = token.split('.')
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}')
  return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY
}

/** Returns a new token if the present one expires within a month. Throws as `call` does. */
async function renewToken(server: Server): Promise<string | undefined> {
  if (endOf(server.token) - Date.now() > RENEW_BEFORE_MS) return undefined
  const { body } = await call<{ token: string }>(server, 'POST', '/api/collections/devices/auth-refresh', {})
  return body.token
}
