import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UserError } from '../errors.ts'

/** What an agent keeps of its pairing. */
export interface AgentState {
  readonly url: string
  readonly token: string
  readonly device: string
  readonly name: string
}

/** Where an agent keeps its state if it is not told: in the state folder of the XDG base directories. */
export const defaultStateFile = (env: NodeJS.ProcessEnv) =>
  join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'pocketsms', 'agent.json')

/**
 * Writes the state whole or not at all, readable for its owner only: it holds the token. Throws a UserError
 * when it cannot.
 */
export function saveState(file: string, state: AgentState): void {
  const temporary = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
    renameSync(temporary, file)
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}. --state names another.`)
  }
}

/** Throws a UserError when there is none, or it is none. */
export function readState(file: string): AgentState {
  try {
    const { url, token, device, name } = JSON.parse(readFileSync(file, 'utf8'))
    if (url && token && device) return { url, token, device, name }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UserError(`${file} is not there. Pair first: pocketsms agent pair URL CODE`)
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new UserError(`${file} is not the state of an agent. Pair again: pocketsms agent pair URL CODE`)
}
