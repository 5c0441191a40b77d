import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError, UserError } from '../../platform/api-errors.ts'
import { lockFile } from '../../platform/tools/lock-and-sync-files.ts'
import { PAIRING_CODE, readTypedCode } from '../../portable/typed-code.ts'
import type { Driver } from './driver-interface.ts'
import { runDriver } from './run-driver.ts'
import { openJournal } from './send-journal.ts'
import { callServer, makeHttpLink, retryUntilEnded, ServerUnavailable } from './server-link.ts'

export type AgentState = Readonly<Record<'url' | 'token' | 'device' | 'name' | 'code', string>>

/** Throws a UserError if `file` exists: a pairing never overwrites an earlier one. */
export function refuseExistingState(file: string): void {
  if (!existsSync(file)) return
  throw new UserError(
    `${file} belongs to a device that is paired already. --state names another file for the new one.`,
  )
}

/** Writes the state file atomically, readable only by its owner. Throws a UserError if that fails. */
export function saveState(file: string, state: AgentState): void {
  const temporary = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
    renameSync(temporary, file)
  } catch (error) {
    throw new UserError(
      `${file} cannot be written: ${(error as Error).message}. --state names another.`,
    )
  }
}

/** Throws a UserError if the file is missing or invalid. */
export function loadAgentState(file: string): AgentState {
  try {
    const { url, token, device, name, code } = JSON.parse(readFileSync(file, 'utf8'))
    if (url && token && device) return { url, token, device, name, code }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UserError(`${file} is not there. Pair first: agent start URL CODE`)
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new UserError(`${file} is not the state of an agent. Pair again: agent start URL CODE`)
}

/** Default folder of state files, by the XDG Base Directory Specification. */
const findStateFolder = () =>
  join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'pocketsms')

/** Default path of a new device's state file. A computer may have several devices. */
export const makeStateFile = (device: string) => join(findStateFolder(), `agent-${device}.json`)

/** Path of the only state file in the default folder. Throws a UserError if there are none or several. */
export function findOnlyStateFile(): string {
  const found = findStates()
  if (found.length === 1) return found[0]!.file
  if (found.length === 0)
    throw new UserError('No device is paired here. Pair first: agent start URL CODE')
  const lines = found.map(({ file, name, url }) => `  --state ${file}   ${name}, ${url}`)
  throw new UserError(`Several devices are paired here. Choose one:\n${lines.join('\n')}`)
}

/**
 * Path of the state file of the device paired with `url` and `code`: `named`, or one in the default folder.
 * Undefined if there is none.
 */
export const findPaired = (url: string, code: string, named?: string): string | undefined =>
  (named ? readStates([named]) : findStates()).find(
    (state) => state.url === url && state.code === code,
  )?.file

function findStates() {
  const folder = findStateFolder()
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  return readStates(
    names.filter((name) => /^agent-\w+\.json$/.test(name)).map((name) => join(folder, name)),
  )
}

/** The states in `files`. Leaves out missing and invalid ones. */
const readStates = (files: readonly string[]) =>
  files.flatMap((file) => {
    try {
      return [{ ...loadAgentState(file), file }]
    } catch (error) {
      if (error instanceof UserError) return []
      throw error
    }
  })

/** The end of a pairing address, which follows the URL of the server. */
const PAIR_PATH = /\/api\/devices\/pair\/?$/

/** Returns the server's URL, and the code: `code`, else the address's `#CODE`. Throws a UserError. */
export function readPairing(address: string, code: string): { url: string; code: string } {
  if (!URL.canParse(address))
    throw new UserError(`${address} is not an address. An address begins with https:// or http://.`)
  const { protocol, hash, origin, pathname } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new UserError(`${address} does not begin with https:// or http://.`)
  const digits = readTypedCode(code || hash.slice(1).replaceAll('%20', ' '))
  if (!PAIRING_CODE.test(digits)) throw new UserError('A pairing code has 6 digits.')
  return { url: `${origin}${pathname}`.replace(PAIR_PATH, '').replace(/\/+$/, ''), code: digits }
}

/**
 * Pairs the device and stores its token. If `device.name` is '', the device gets the name given when the
 * code was made. Throws a UserError if the server refuses or fails.
 */
export async function pairAgent(
  url: string,
  code: string,
  device: Readonly<Record<'name' | 'platform' | 'phone', string>>,
  fileOf: (id: string) => string,
) {
  try {
    const { body } = await callServer<{ token: string; record: { id: string; name: string } }>(
      { url, token: '' },
      '/api/devices/pair',
      { code, ...device },
    )
    const { id, name } = body.record
    const state = { url, token: body.token, device: id, name, code }
    const file = fileOf(id)
    saveState(file, state)
    return { ...state, file }
  } catch (error) {
    if (error instanceof ServerUnavailable || error instanceof GatewayError)
      throw new UserError(error.message)
    throw error
  }
}

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
