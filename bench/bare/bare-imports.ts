import { createServer } from 'node:http'

/**
 * A bare Node that has imported the libraries which a server of pocketsms needs for its first answer, and
 * answers: what is left of a start without our code. sharp is a part of it, though pocketsms loads it later.
 *
 * Environment: PORT.
 */
await Promise.all([
  import('hono'),
  import('@hono/node-server'),
  import('pg'),
  import('kysely'),
  import('zod'),
  import('sharp'),
  import('jose'),
])
createServer((_, res) => void res.end('{}')).listen(Number(process.env.PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
