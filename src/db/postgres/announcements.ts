import type pg from 'pg'

/** SQLSTATE of the notice that sql/functions/work/_announce.sql raises beside a statement's result. */
const ANNOUNCED = 'PS001'
/** With this application_name, `_announce` raises announcements as notices; with any other it uses NOTIFY. */
export const SERVER_NAME = 'pocketsms server'

type Announce = (channel: string, payload: string) => void

/** Collects announcements of a pool's transactions and passes them to `announce` after the commit. */
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
    forget: (client: pg.ClientBase) => made.delete(client),
  }
}

function pass(word: string, announce: Announce): void {
  const end = word.indexOf(' ')
  announce(word.slice(0, end), word.slice(end + 1))
}
