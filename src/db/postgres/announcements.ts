import type pg from 'pg'

/** SQLSTATE of what sql/functions/work/_announce.sql says beside the answer of a statement. */
const ANNOUNCED = 'PS001'
/** By this application_name a connection gets announcements; with another they are notifications. */
export const SERVER_NAME = 'pocketsms server'

type Announce = (channel: string, payload: string) => void

/** Collects what the transactions of a pool announce, and hands it to `announce` after the commit. */
export function collectAnnouncements(pool: pg.Pool, announce: Announce) {
  const made = new WeakMap<pg.ClientBase, string[]>()
  pool.on('connect', (client) =>
    client.on('notice', ({ code, message = '' }) => {
      if (code === ANNOUNCED) made.set(client, [...(made.get(client) ?? []), message])
    }),
  )
  // a connection is released after the commit, or with an error
  pool.on('release', (error, client) => {
    const words = made.get(client)
    if (!words) return
    made.delete(client)
    if (!error) for (const word of words) pass(word, announce)
  })
  return {
    /** Forgets what a transaction announced that is rolled back. */
    forget: (client: pg.ClientBase) => made.delete(client),
  }
}

function pass(word: string, announce: Announce): void {
  const end = word.indexOf(' ')
  announce(word.slice(0, end), word.slice(end + 1))
}
