import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, protocol } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { concatBytes } from './bytes.ts'
import { DurableFolder } from './durable-folder.ts'
import type { FromWorker, ToWorker, WorkerOptions } from './messages.ts'
import { shareMemory } from './shared-memory.ts'

// The thread on which the embedded database runs. It gets requests in Postgres' protocol messages, one at a
// time, and answers with those of the database. engine.ts is its other end.

/** What PGlite's module has beside its types: its main loop, and addresses of variables of Postgres. */
interface Postgres {
  readonly HEAPU8: Uint8Array<SharedArrayBuffer>
  readonly _InterruptPending: number
  readonly _QueryCancelPending: number
  _PostgresMainLoopOnce(): void
}

/** PGlite's exit code for an error of a statement, which it handles. */
const STATEMENT_FAILED = 100
const port = parentPort!
const { folder, settings, begun } = workerData as WorkerOptions
const tell = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

/** PGlite's own parameters, but for the one that switches fsync off; then ours. */
function startParams(): string[] {
  const own = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F')
  return [...own, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** What Postgres last wrote of something that ended it: PGlite's own error says only that it did. */
let reason = ''
function keepReason(line: string): boolean {
  reason = /\b(?:FATAL|PANIC): *(.+)/.exec(line)?.[1] ?? reason
  return false // PGlite need not print it
}

async function open(): Promise<PGlite> {
  const refused = (error: Error) => tell({ type: 'refused', error: error.message })
  const database = new Database({
    fs: new DurableFolder(folder, refused),
    startParams: startParams(),
    extensions: { pg_trgm },
    onStderr: keepReason,
  })
  await database.waitReady
  return database
}

/**
 * PGlite, sparing of memory. V8 optimizes what runs often, and takes 600 MB for one function: Postgres'
 * parser. V8 decides when it first compiles a function whether that one may be optimized. So the parser is
 * called once while nothing may be; nothing else is new then.
 */
class Database extends PGlite {
  /**
   * PGlite calls this when Postgres runs, before any other statement, to learn types. Types are known by
   * values.ts.
   */
  override async _initArrayTypes(): Promise<void> {
    setFlagsFromString('--wasm-tier-up-filter=0')
    await this.execProtocolRaw(protocol.serialize.query('no SQL'))
    setFlagsFromString('--wasm-tier-up-filter=-1')
  }
}

/**
 * PGlite goes on after whatever ends Postgres' main loop. Only what it knows may go on; anything else ends
 * this thread.
 */
function endOnPanic(postgres: Postgres): void {
  const once = postgres._PostgresMainLoopOnce
  postgres._PostgresMainLoopOnce = () => {
    try {
      once()
    } catch (error) {
      if ((error as { status?: number }).status !== STATEMENT_FAILED) {
        tell({ type: 'failed', error: reason || String(error) })
        process.exit(1)
      }
      throw error
    }
  }
}

async function serve(): Promise<void> {
  shareMemory()
  const client = await open()
  const postgres = client.Module as unknown as Postgres
  const memory = postgres.HEAPU8.buffer
  const { _InterruptPending: interrupt, _QueryCancelPending: cancel } = postgres
  const words = new Int32Array(memory)
  endOnPanic(postgres)
  port.on('message', async (message: ToWorker) => {
    if (message === 'close') {
      await client.close()
      process.exit(0)
    }
    // a cancellation that came too late for the last request is not for this one
    Atomics.store(words, cancel / 4, 0)
    Atomics.add(begun, 0, 1)
    const chunks: Uint8Array[] = []
    await client.execProtocolRawStream(message, {
      syncToFs: false,
      onRawData: (bytes) => void chunks.push(bytes.slice()),
    })
    const answer = concatBytes(chunks)
    tell({ type: 'answer', bytes: answer }, [answer.buffer])
  })
  tell({ type: 'ready', memory, interrupt, cancel })
}

serve().catch((error: Error) => {
  tell({ type: 'failed', error: reason || error.message })
  process.exit(1)
})
