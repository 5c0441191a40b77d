/** What engine.ts starts its thread with. */
export interface WorkerOptions {
  /** Where the database has its files. */
  readonly folder: string
  /** Settings of Postgres. */
  readonly settings: Readonly<Record<string, string | number>>
  /** Shared: the thread counts the requests that it has begun. */
  readonly begun: Int32Array
}

/** Postgres' protocol messages of one request, or the word to close the database. */
export type ToWorker = Uint8Array | 'close'

/**
 * `ready` has Postgres' memory and the addresses of two of its variables, in bytes: set both to 1 and the
 * running statement ends with SQLSTATE 57014. `failed`: the database did not start, or has ended for good.
 * `refused`: this platform syncs no folders.
 */
export type FromWorker =
  | {
      readonly type: 'ready'
      readonly memory: SharedArrayBuffer
      readonly interrupt: number
      readonly cancel: number
    }
  | { readonly type: 'answer'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'failed' | 'refused'; readonly error: string }
