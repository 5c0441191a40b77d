import { Hono } from 'hono'
import type { Deed } from '../../auth/audit.ts'
import type { Store } from '../../collections/catalog.ts'
import { type Owner, ownerOf, rotateSecret } from '../../webhooks/hook.ts'
import { resendDelivery, resendFailed } from '../../webhooks/resend.ts'
import { sendTest } from '../../webhooks/test-event.ts'
import { note } from '../audit.ts'
import { authOf, type Ctx, type Env, type Services } from '../context.ts'
import { readJson } from '../json-body.ts'

const MAX_BODY_BYTES = 10_000

/**
 * `/api/webhooks`: what can be done with a webhook beyond its record. For its user, and for superusers. Errors are
 * `{"error","message"}`.
 */
export function webhookRoutes(services: Services): Hono<Env> {
  const { store } = services
  /** Does something for who asks; what a superuser does is noted in the same transaction. */
  const act = async <T>(c: Ctx, deed: Deed, work: (inside: Store, owner: Owner) => Promise<T>) => {
    const auth = await authOf(c, services)
    const owner = ownerOf(auth)
    return store.db.transaction(async (db) => {
      const result = await work({ db, catalog: store.catalog }, owner)
      if (auth?.isSuperuser) await note(c, services, auth, deed, db)
      return result
    })
  }
  const deedOf = (c: Ctx, action: string, collection = 'webhooks'): Deed => ({
    action,
    collection,
    record: c.req.param('id') ?? '',
  })
  return new Hono<Env>()
    .post('/:id/test', async (c) => {
      const id = c.req.param('id')
      return c.json(await act(c, deedOf(c, 'test webhook'), (inside, owner) => sendTest(inside, owner, id)))
    })
    .post('/:id/rotate', async (c) => {
      const id = c.req.param('id')
      c.header('cache-control', 'no-store')
      return c.json(
        await act(c, deedOf(c, 'rotate secret'), (inside, owner) => rotateSecret(inside, owner, id)),
      )
    })
    .post('/:id/resend-failed', async (c) => {
      const id = c.req.param('id')
      ownerOf(await authOf(c, services))
      const since = await readJson(c, MAX_BODY_BYTES)
      const work = (inside: Store, owner: Owner) => resendFailed(inside, owner, id, since)
      return c.json(await act(c, deedOf(c, 'resend failed'), work))
    })
    .post('/deliveries/:id/resend', async (c) => {
      const id = c.req.param('id')
      const deed = deedOf(c, 'resend', 'webhook_deliveries')
      return c.json(await act(c, deed, (inside, owner) => resendDelivery(inside, owner, id)))
    })
}
