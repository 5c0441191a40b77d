import pg from 'pg'
import { DatabaseUnavailable, isSqlError } from './database-errors.ts'

/** How long a host may take to accept a connection before the next host is tried. */
const HOST_MS = 3_000

/** Tests if a server accepts writes. On a replaced primary, the commit waits for standbys and times out. */
const CHECK = `
select current_setting('transaction_read_only') as read_only, pg_postmaster_start_time()::text as server,
  case when current_setting('synchronous_standby_names') <> '' and not pg_is_in_recovery()
    then pg_logical_emit_message(true, 'pocketsms', '') end`

/**
 * The `sslmode`s of libpq that try TLS and no TLS, in this order. Neither looks at the certificate.
 * https://www.postgresql.org/docs/current/libpq-ssl.html
 */
const TRIED_MODES: Readonly<Record<string, readonly string[]>> = {
  prefer: ['no-verify', 'disable'],
  allow: ['disable', 'no-verify'],
}
const SSL_MODE = /(?<=[?&]sslmode=)\w+/

/** A URL for each host of a libpq URL such as `postgres://host1:5432,host2:5432/name`, and each TLS mode. */
function listTriedUrls(url: string): string[] {
  const modes = TRIED_MODES[SSL_MODE.exec(url)?.[0] ?? '']
  return modes
    ? splitUrlByHost(url).flatMap((one) => modes.map((mode) => one.replace(SSL_MODE, () => mode)))
    : splitUrlByHost(url)
}

function splitUrlByHost(url: string): string[] {
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

/**
 * Makes clients that connect to a host that accepts writes. After a failure, the next client tries the next
 * host. A client that reaches a new server ends the connections to the old one, which was replaced.
 */
export function makeFailoverClients(url: string) {
  const urls = listTriedUrls(url)
  const modes = urls.length / splitUrlByHost(url).length
  const limits = urls.length > 1 && { connectionTimeoutMillis: HOST_MS }
  let current = 0
  const servers = new Map<pg.Client, unknown>()

  /** Ends all connections, except those to the server `kept`, without waiting for an answer. */
  function abandon(kept?: unknown): void {
    for (const [client, server] of servers) if (server !== kept) client.connection.stream.destroy()
  }

  class Client extends pg.Client {
    readonly #host = current

    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...limits, connectionString: urls[current]! })
      // a pool adds its error handler after `connect`: until then, a lost connection would end the process
      this.on('error', () => {})
      this.on('end', () => servers.delete(this))
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
        const [{ read_only, server }] = rows
        if (read_only !== 'off')
          throw new DatabaseUnavailable(new Error('This database server accepts no writes.'))
        servers.set(this, server)
        abandon(server)
        return this
      } catch (error) {
        // as in libpq, only a host that refuses a mode is tried in the other one
        const isRefused = isSqlError(error, '28000') || /SSL|TLS/.test((error as Error).message)
        const isFirstMode = this.#host % modes === 0
        const step = isRefused && isFirstMode ? 1 : modes - (this.#host % modes)
        if (this.#host === current) current = (current + step) % urls.length
        this.end().catch(() => {})
        throw isRefused && isFirstMode && modes > 1 ? new DatabaseUnavailable(error) : error
      }
    }
  }
  return { Client: Client as typeof pg.Client, abandon }
}
