import type pg from 'pg'
import { guarded, runStatement } from './run-statement.ts'

/**
 * Runs each statement on its own connection, which `connected` may prepare. Postgres finishes running
 * statements even after `close`.
 */
export function longWork(open: () => pg.Client, connected: (client: pg.Client) => void) {
  const clients = new Set<pg.Client>()
  return {
    query: (text: string) =>
      guarded(async () => {
        const client = open()
        client.on('error', () => {}) // a running statement reports the error
        clients.add(client)
        try {
          await client.connect()
          connected(client)
          await client.query('set statement_timeout = 0; set lock_timeout = 0')
          return await runStatement(client, text)
        } finally {
          clients.delete(client)
          await client.end()
        }
      }),
    close: () => Promise.all([...clients].map((client) => client.end())),
  }
}
