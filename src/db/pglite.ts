import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { lockFile } from '../lock-file.ts'
import type { Backend, Session } from './backend.ts'
import { pgliteFolder } from './data-folder.ts'
import { oneByOne, queue } from './in-turn.ts'
import { protocolSession } from './pglite-session.ts'
import { PLANNER } from './planner.ts'

/** Refuses a folder that another process has open: two of them would destroy it. Returns what gives it back. */
const lock = (folder: string): (() => void) =>
  lockFile(
    join(folder, 'pocketsms.pid'),
    (owner) =>
      `The data folder ${folder} is in use by process ${owner}. PGlite serves one process at a time: stop that one first. Only a Postgres server (DATABASE_URL) takes several.`,
  )

/** The embedded database in `folder`, or in memory for `memory://`. One connection: statements run one by one. */
export async function openPglite(folder: string): Promise<Backend> {
  const inMemory = folder.startsWith('memory://')
  if (!inMemory) mkdirSync(folder, { recursive: true })
  const unlock = inMemory ? () => {} : lock(folder)
  try {
    const client = await PGlite.create(inMemory ? folder : pgliteFolder(folder))
    return await backendOf(client, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function backendOf(client: PGlite, unlock: () => void): Promise<Backend> {
  const inTurn = queue()
  const session = protocolSession(client)
  await session.script(
    Object.entries(PLANNER)
      .map(([name, value]) => `set ${name} = ${value}`)
      .join(';'),
  )
  return {
    kind: 'pglite',
    query: (text, params, name) => inTurn(() => session.query(text, params, name)),
    script: (text) => inTurn(() => session.script(text)),
    transaction: (work) => inTurn(() => inTransaction(oneByOne(session), work)),
    async listen(channel, heard) {
      const stop = await inTurn(() => client.listen(channel, heard))
      return () => inTurn(() => stop())
    },
    async close() {
      await inTurn(() => client.close())
      unlock()
    },
  }
}

async function inTransaction<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  await session.script('begin')
  try {
    const result = await work(session)
    await session.script('commit')
    return result
  } catch (error) {
    await session.script('rollback')
    throw error
  }
}
