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
import { UserError } from '../../platform/api-errors.ts'

/** The contents of a paired device's file: its server, its token, and the code that paired it. */
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
