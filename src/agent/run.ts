import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../errors.ts'
import { Agent } from './agent.ts'
import type { Driver } from './driver.ts'
import { Journal } from './journal.ts'
import { lockState } from './lock.ts'
import { renewToken } from './renew.ts'
import { mayPass, ServerRefusal } from './server.ts'
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
  const unlock = lockState(file)
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
