import { messages, protocol } from '@electric-sql/pglite'
import type { Result, Session } from '../backend.ts'
import { UNKNOWN_STATEMENT } from '../errors.ts'
import { toParameter, types } from '../values.ts'

const { serialize } = protocol
/** Named statements that the database keeps; the one that was asked for the longest time ago goes first. */
const MAX_NAMES = 500
/** A plan that gives other columns than it did, a name that stands for nothing. */
const STALE = new Set(['0A000', UNKNOWN_STATEMENT])

const bytesOf = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts)

/** The text of each prepared statement of a session by name, from the oldest to the newest. */
export type Names = Map<string, string>

/** Sends Postgres' protocol messages of one request; those that answer it. */
export type Ask = (request: Uint8Array) => Promise<messages.BackendMessage[]>

/**
 * Statements for the embedded database in Postgres' own messages, each with its values in one go: PGlite's
 * `query` asks five times for every statement and plans it anew. A statement with a name is planned once, as
 * on a server. Made for one caller at a time.
 */
export function protocolSession(ask: Ask, names: Names): Session {
  /** What goes before the first use of a name for a text, and what makes room for it. */
  const prepare = (text: string, name: string): Uint8Array[] => {
    if (names.get(name) === text) return []
    const [oldest] = names.size < MAX_NAMES || names.has(name) ? [name] : names.keys()
    names.delete(oldest!)
    // closing what is not there is no error: whatever the name stood for, it does so no longer
    const closed = [...new Set([oldest!, name])].map((name) => serialize.close({ type: 'S', name }))
    return [...closed, serialize.parse({ name, text })]
  }

  /** A name stands for its statement even if running it failed, unless its plan no longer fits. */
  const note = (
    text: string,
    name: string,
    isParsed: boolean,
    answer: readonly messages.BackendMessage[],
  ) => {
    names.delete(name) // it becomes the newest
    const isStale = answer.some((one) => one instanceof messages.DatabaseError && STALE.has(one.code ?? ''))
    if (isParsed && !isStale) names.set(name, text)
  }

  return {
    async query(text, params = [], name = '') {
      const before = name === '' ? [serialize.parse({ text })] : prepare(text, name)
      const answer = await ask(
        bytesOf(
          ...before,
          serialize.bind({ statement: name, values: params.map(toParameter) }),
          serialize.describe({ type: 'P' }),
          serialize.execute({}),
          serialize.sync(),
        ),
      )
      const isParsed = before.length === 0 || answer.includes(messages.parseComplete)
      if (name !== '') note(text, name, isParsed, answer)
      return resultOf(answer)
    },
    script: async (text) => void resultOf(await ask(serialize.query(text))),
  }
}

/** Throws what Postgres says of a statement that failed. */
function resultOf(answer: readonly messages.BackendMessage[]): Result {
  const rows: unknown[][] = []
  let columns: string[] = []
  let parsers: ((text: string) => unknown)[] = []
  let count = 0
  for (const message of answer) {
    if (message instanceof messages.DatabaseError) throw message
    if (message instanceof messages.DataRowMessage)
      rows.push(message.fields.map((text, i) => (text === null ? null : parsers[i]!(text))))
    else if (message instanceof messages.RowDescriptionMessage) {
      columns = message.fields.map(({ name }) => name)
      parsers = message.fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'))
    } else if (message instanceof messages.CommandCompleteMessage) count = countOf(message.text)
  }
  return { rows, columns, count: rows.length || count }
}

/** `INSERT 0 3`, `UPDATE 3`; 0 of a command that counts nothing. */
const countOf = (command: string): number => Number(/ (\d+)$/.exec(command)?.[1] ?? 0)
