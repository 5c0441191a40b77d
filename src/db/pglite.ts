import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, type Transaction, types } from '@electric-sql/pglite'
import { UserError } from '../errors.ts'
import type { Backend, Result, Session } from './backend.ts'

const asText = (text: string) => text
const OPTIONS = {
  rowMode: 'array',
  parsers: { [types.INT8]: Number, [types.JSON]: asText, [types.JSONB]: asText },
} as const

type Queryable = Pick<PGlite | Transaction, 'query' | 'exec'>

const session = (client: Queryable): Session => ({
  async query(text, params = []): Promise<Result> {
    const result = await client.query<unknown[]>(text, params as unknown[], OPTIONS)
    return {
      rows: result.rows,
      columns: result.fields.map((field) => field.name),
      count: result.rows.length || (result.affectedRows ?? 0),
    }
  },
  script: async (text) => void (await client.exec(text)),
})

/** Refuses a folder that another process has open: two of them would destroy it. Returns what gives it back. */
function lock(folder: string): () => void {
  const file = join(folder, 'pocketsms.pid')
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 1) throw error
      const owner = Number(readFileSync(file, 'utf8'))
      if (isAlive(owner)) {
        throw new UserError(
          `The data folder ${folder} is in use by process ${owner}. PGlite serves one process at a time: stop that one, or set DATABASE_URL to a Postgres server.`,
        )
      }
      rmSync(file, { force: true })
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The embedded database in `folder`, or in memory for `memory://`. One connection: statements run one by one. */
export async function openPglite(folder: string): Promise<Backend> {
  const inMemory = folder.startsWith('memory://')
  if (!inMemory) mkdirSync(folder, { recursive: true })
  const unlock = inMemory ? () => {} : lock(folder)
  try {
    const client = await PGlite.create(inMemory ? folder : join(folder, 'pglite'))
    return {
      kind: 'pglite',
      ...session(client),
      transaction: (work) => client.transaction((tx) => work(session(tx))) as Promise<never>,
      async listen(channel, heard) {
        const stop = await client.listen(channel, heard)
        return () => stop()
      },
      async close() {
        await client.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}
