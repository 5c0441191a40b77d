import { openFolder } from '../db/open.ts'
import { UserError } from '../errors.ts'
import { createLogger } from '../log.ts'
import type { ChildMessage } from './child.ts'
import { dump } from './dump.ts'
import { lowerPriority } from './lower-priority.ts'

// The program that child.ts starts: `dump-folder.ts FOLDER FILE`. It ends when the process that started it
// does.

const [folder = '', path = ''] = process.argv.slice(2)
const ended = new AbortController()
process.once('disconnect', () => ended.abort())
// a terminal signals both processes: the other one decides
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

/** Nobody hears it when the other process has ended. */
const say = (said: ChildMessage) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send!(said, () => resolve())
    else resolve()
  })

async function run(): Promise<ChildMessage> {
  try {
    const db = await openFolder(folder, createLogger({ logLevel: 'warn' }), true)
    try {
      const progress = (...step: readonly [string, number, number]) => void say({ progress: step })
      return { done: await dump(db, path, { progress, signal: ended.signal }) }
    } finally {
      await db.close()
    }
  } catch (error) {
    return { failed: (error as Error).message, isUserError: error instanceof UserError }
  }
}

lowerPriority()
await say(await run())
process.exit()
