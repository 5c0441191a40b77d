/** What we use of autocannon 8, which brings no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  export interface Request {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    /** Called before each sending; `context` belongs to the connection. */
    setupRequest?(next: Request, context: { id?: string }): Request
  }
  export interface Options {
    url: string
    connections: number
    duration: number
    timeout: number
    requests: Request[]
    sampleInt: number
  }
  export interface Summary {
    errors: number
    timeouts: number
    non2xx: number
  }
  /** Emits `response` (client, status, bytes, milliseconds) for each answer. */
  export type Run = EventEmitter & PromiseLike<Summary>
  const autocannon: (options: Options) => Run
  // biome-ignore lint/style/noDefaultExport: it is a CommonJS module that exports one function
  export default autocannon
}
