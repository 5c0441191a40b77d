import PocketBase, { type SendOptions } from 'pocketbase'
import { noteDatabaseFault } from './connection/database-fault.ts'

/**
 * The SDK's client, for which an answer that breaks off is an error. The SDK alone takes it for `{}`. Notes
 * what answers say about the database.
 */
export class SdkClient extends PocketBase {
  override send<T = unknown>(path: string, options: SendOptions): Promise<T> {
    const ask = options.fetch ?? fetch
    return super.send<T>(path, {
      ...options,
      fetch: (...request) => ask(...request).then(readWhole),
    })
  }
}

/** Reads a copy of the body to its end: throws the error of `fetch` if the connection ends before. */
async function readWhole(answer: Response): Promise<Response> {
  await answer.clone().arrayBuffer()
  await noteDatabaseFault(answer)
  return answer
}
