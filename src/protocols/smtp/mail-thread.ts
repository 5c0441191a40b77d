import { parentPort } from 'node:worker_threads'
import { ApiError } from '../../platform/api-errors.ts'
import { readMail } from './read-mail.ts'

// The thread of read-mail-in-thread.ts. Reads one mail after the other.

parentPort?.on('message', async (bytes: Uint8Array) => {
  try {
    parentPort!.postMessage({ mail: await readMail(Buffer.from(bytes.buffer)) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    parentPort!.postMessage({ refusal: error.message })
  }
})
