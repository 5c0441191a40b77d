import { timingSafeEqual } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { listMessages, viewMessage } from './bare-reads.ts'
import { acceptor } from './bare-send.ts'

/**
 * The fastest server that somebody would write by hand for exactly these requests: Hono, pg, SQL made for
 * each of them, named statements. It answers the same JSON as pocketsms. It has no rules, no filter language,
 * no fields, no tokens that end: who asks is a constant-time comparison with a fixed list. A send is checked
 * (JSON, E.164, length), counted, given to a device by turns and stored in a grouped commit: no quota is
 * compared, no queue filled. Its connections have Postgres's default settings.
 *
 * Environment: DATABASE_URL, PORT, TOKENS (`{"token": "user id"}`).
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 })
const accept = acceptor(pool)
const TOKENS = Object.entries(JSON.parse(process.env.TOKENS ?? '{}') as Record<string, string>).map(
  ([token, user]) => ({ token: Buffer.from(token), user }),
)

function userOf(given: string | undefined): string | undefined {
  const token = Buffer.from(given ?? '')
  const known = TOKENS.find(
    (entry) => entry.token.length === token.length && timingSafeEqual(entry.token, token),
  )
  return known?.user
}

const app = new Hono<{ Variables: { user: string } }>()
app.get('/api/health', (c) => c.json({ code: 200 }))
app.use(async (c, next) => {
  const user = userOf(c.req.header('x-api-key') ?? c.req.header('authorization'))
  if (user === undefined)
    return c.json({ error: 'unauthorized', message: 'Authentication required' }, 401)
  c.set('user', user)
  await next()
})
app.get('/messages', async (c) => c.json(await listMessages(pool, c.var.user, c.req.query())))
app.get('/messages/:id', async (c) => {
  const message = await viewMessage(pool, c.var.user, c.req.param('id'))
  return message ? c.json(message) : c.json({ error: 'not_found' }, 404)
})
app.post('/send', async (c) => {
  const { recipients, body } = await c.req.json<{ recipients: string[]; body: string }>()
  const isValid =
    Array.isArray(recipients) && recipients.every((to) => /^\+[1-9]\d{1,14}$/.test(to))
  if (!isValid || typeof body !== 'string' || body.length > 1600)
    return c.json({ error: 'invalid_request' }, 400)
  return c.json(await accept(c.var.user, recipients, body))
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) })
process.once('SIGTERM', () => process.exit(0))
