import pg from 'pg'
import { DatabaseUnavailable } from './errors.ts'

/** How long one of several hosts may take to accept a connection, before the next one is tried. */
const HOST_MS = 3_000

/** Whether a server accepts writes. Commits to a synchronous standby, as a replaced primary cannot. */
const CHECK = `
select current_setting('transaction_read_only') as read_only,
  case when current_setting('synchronous_standby_names') <> '' and not pg_is_in_recovery()
    then pg_logical_emit_message(true, 'pocketsms', '') end`

/** A connection string for each host of a libpq URL: `postgres://host1:5432,host2:5432/name`. */
function urlsOf(url: string): string[] {
  const start = url.indexOf('://') + 3
  const length = url.slice(start).search(/[/?]/)
  const authority = url.slice(start, length < 0 ? undefined : start + length)
  const user = authority.lastIndexOf('@') + 1
  const rest = url.slice(start + authority.length)
  return authority
    .slice(user)
    .split(',')
    .map((host) => url.slice(0, start + user) + host + rest)
}

/** A client for the first host that takes writes; after a failure, the next client tries the next host. */
export function clientOf(url: string): typeof pg.Client {
  const urls = urlsOf(url)
  const limits = urls.length > 1 && { connectionTimeoutMillis: HOST_MS }
  let current = 0
  return class extends pg.Client {
    readonly #host = current

    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...limits, connectionString: urls[current]! })
      // a pool adds its handler after `connect`; before that, a lost connection would end the process
      this.on('error', () => {})
    }

    override connect(): Promise<this>
    override connect(callback: (error?: Error) => void): void
    override connect(callback?: (error?: Error) => void): Promise<this> | undefined {
      const connected = this.#connect()
      if (!callback) return connected
      connected.then(() => callback(), callback)
      return undefined
    }

    async #connect(): Promise<this> {
      try {
        await super.connect()
        const { rows } = await this.query({ text: CHECK, query_timeout: HOST_MS } as pg.QueryConfig)
        if (rows[0].read_only === 'off') return this
        throw new DatabaseUnavailable(new Error('This database server takes no writes.'))
      } catch (error) {
        if (this.#host === current) current = (current + 1) % urls.length
        this.end().catch(() => {})
        throw error
      }
    }
  } as typeof pg.Client
}
