import { signal } from '@preact/signals'

/** Why the server cannot store anything: its database is `away`, or its disk is `full`. */
type DatabaseFault = 'away' | 'full'

/** The fault in the page's banner; undefined while none of the database is known. */
export const databaseFault = signal<DatabaseFault | undefined>(undefined)

const UNAVAILABLE = 503

/** The server's sentences, as src/platform/db/database-errors.ts has them. */
const SENTENCES: readonly (readonly [RegExp, DatabaseFault])[] = [
  [/^The database cannot be reached/, 'away'],
  [/^The disk of the database is full/, 'full'],
]

/** The fault of the database in an answer; undefined for any other answer. */
export const findDatabaseFault = (status: number, message: unknown): DatabaseFault | undefined =>
  status === UNAVAILABLE ? SENTENCES.find(([said]) => said.test(String(message)))?.[1] : undefined

/** Notes what an answer of the server says about its database. */
export async function noteDatabaseFault(answer: Response): Promise<void> {
  if (answer.status !== UNAVAILABLE) return
  const read = answer
    .clone()
    .json()
    .catch(() => ({})) // a proxy's page
  const { message } = (await read) as { readonly message?: unknown }
  databaseFault.value = findDatabaseFault(answer.status, message) ?? databaseFault.value
}

/** Asks whether the database stores again, after an answer said that it does not. */
export async function askDatabase(serverUrl: string, signal: AbortSignal): Promise<void> {
  if (databaseFault.value === undefined) return
  const answer = await fetch(`${serverUrl}/api/ready`, { signal, cache: 'no-store' }).catch(
    () => undefined,
  )
  if (answer?.ok) databaseFault.value = undefined
}
