import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { UserError } from '../errors.ts'
import { lockFile } from '../lock-file.ts'
import type { Backend, Session } from './backend.ts'
import { pgliteFolder } from './data-folder.ts'
import { removeCopies } from './folder-copy.ts'
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

/** Makes a folder ours. Throws a UserError where it cannot be made or written, or is another's. */
function take(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true })
    return lock(folder)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UserError(`The data folder ${folder} cannot be used: ${error.message}. DATA_DIR names another.`)
  }
}

/**
 * The embedded database in `folder`, or in memory for `memory://`. One connection: statements run one by one. Throws a
 * UserError for a folder that is of no use.
 */
export async function openPglite(folder: string): Promise<Backend> {
  const inMemory = folder.startsWith('memory://')
  const unlock = inMemory ? () => {} : take(folder)
  try {
    if (!inMemory) removeCopies(folder)
    const client = await start(inMemory ? folder : pgliteFolder(folder))
    return await backendOf(client, unlock, inMemory ? undefined : folder)
  } catch (error) {
    unlock()
    throw error
  }
}

/** PGlite says nothing of what is wrong with its files. */
const start = (folder: string): Promise<PGlite> =>
  PGlite.create(folder).catch((error: Error) => {
    throw new UserError(
      `The database in ${folder} does not start: ${error.message}. If its files are damaged, put a backup in their place.`,
    )
  })

async function backendOf(client: PGlite, unlock: () => void, folder: string | undefined): Promise<Backend> {
  const inTurn = queue()
  let session = protocolSession(client)
  await session.script(
    Object.entries(PLANNER)
      .map(([name, value]) => `set ${name} = ${value}`)
      .join(';'),
  )
  return {
    kind: 'pglite',
    query: (text, params, name) => inTurn(() => session.query(text, params, name)),
    script: (text) => inTurn(() => session.script(text)),
    unhurried: (text) => inTurn(() => session.query(text)),
    transaction: (work) => inTurn(() => inTransaction(oneByOne(session), work)),
    async listen(channel, heard) {
      const stop = await inTurn(() => client.listen(channel, heard))
      return () => inTurn(() => stop())
    },
    folder,
    overhaul: (work) =>
      inTurn(async () => {
        const result = await inTransaction(oneByOne(session), work)
        await session.script('deallocate all')
        session = protocolSession(client)
        return result
      }),
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
