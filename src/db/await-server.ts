import { UserError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { DatabaseUnavailable, OutdatedServer, type Session, wordsOf } from './errors.ts'

const OLDEST_SERVER = 150_000
const RETRY_MS = 1_000
const SAY_EVERY = 10

/** Waits for Postgres. Throws a UserError if it is too old, refuses the login, or has a newer schema. */
export async function awaitServer(query: Session['query'], log: Logger): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { rows } = await query('show server_version_num')
      const version = Number(rows[0]?.[0])
      if (version >= OLDEST_SERVER) return
      throw new UserError(
        `Postgres 15 or later is needed; DATABASE_URL leads to version ${Math.floor(version / 10_000)}.`,
      )
    } catch (error) {
      if (error instanceof OutdatedServer) throw new UserError(error.message)
      if (!(error instanceof DatabaseUnavailable)) throw refusal(error)
      if (attempt % SAY_EVERY === 0)
        log.warn(`waiting for the database: ${wordsOf(error.cause) || 'no connection'}`)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error
  const code = 'code' in error ? String(error.code) : ''
  return new UserError(
    code.startsWith('28')
      ? `The database refused to let us in: ${wordsOf(error)}. Check the user and password in DATABASE_URL.`
      : `The database cannot be used: ${wordsOf(error)}. Check DATABASE_URL.`,
  )
}
