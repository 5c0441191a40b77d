import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { badRequest } from '../../platform/api-errors.ts'
import { type ReceivedMail, readMail } from './read-mail.ts'

/** The slowest mail that was found takes 0.8 s of CPU time. */
const DEADLINE_MS = 10_000
/** Larger mails are read in the thread: one of this size takes some milliseconds at most. */
const MAX_HERE_BYTES = 8 << 10
/** Reading the slowest mail takes 60 MB. */
const MAX_HEAP_MB = 256

let thread: Worker | undefined
let before: Promise<unknown> = Promise.resolve()

/**
 * Reads large mails in a thread, one after the other: on the event loop, a hostile mail of 2 MiB would stop
 * all requests for 0.3 to 0.8 s. Throws as `readMail`, and 400 for a mail that takes too long or too much
 * memory.
 */
export function readMailApart(bytes: Buffer): Promise<ReceivedMail> {
  if (bytes.length <= MAX_HERE_BYTES) return readMail(bytes)
  const reading = before.then(() => readMailInThread(bytes))
  before = reading.catch(() => {})
  return reading
}

async function readMailInThread(bytes: Buffer): Promise<ReceivedMail> {
  thread ??= startThread()
  const copy = Uint8Array.from(bytes)
  thread.postMessage(copy, [copy.buffer])
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const [{ mail, refusal }] = await once(thread, 'message', { signal }).catch(() => {
    void thread?.terminate()
    thread = undefined
    throw badRequest('The mail takes too long to read.')
  })
  if (refusal !== undefined) throw badRequest(refusal)
  // a Buffer arrives as a Uint8Array
  const pictures = (mail as ReceivedMail).pictures.map(({ name, bytes }) => ({
    name,
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  }))
  return { ...mail, pictures }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./mail-thread.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.unref()
  // `readMailInThread` hears of it, too; without a listener the error would end the process
  worker.on('error', () => {})
  worker.on('exit', () => {
    if (thread === worker) thread = undefined
  })
  return worker
}
