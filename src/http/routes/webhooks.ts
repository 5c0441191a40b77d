import { Hono } from 'hono'
import type { AuditEntry } from '../../auth/superusers/audit.ts'
import type { Store } from '../../collections/catalog.ts'
import { readDeliveryRequest } from '../../webhooks/delivery-request.ts'
import { type Owner, ownerOf, rotateSecret } from '../../webhooks/hook.ts'
import { resendDelivery, resendFailed } from '../../webhooks/resend.ts'
import { sendTest } from '../../webhooks/test-event.ts'
import { readJson } from '../body/json-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditRequest } from '../middleware/audit.ts'
import { authOf } from '../request-info.ts'

const MAX_BODY_BYTES = 10_000

/** `/api/webhooks`: actions of their user and of superusers. Errors: `{"error","message"}`. */
export function webhookRoutes(services: Services): Hono<Env> {
  const { store } = services
  /** Runs `work` for the caller; audits a superuser's action in the same transaction. */
  const act = async <T>(c: Ctx, entry: AuditEntry, work: (inside: Store, owner: Owner) => Promise<T>) => {
    const auth = await authOf(c, services)
    const owner = ownerOf(auth)
    return store.db.transaction(async (db) => {
      const result = await work({ db, catalog: store.catalog }, owner)
      if (auth?.isSuperuser) await auditRequest(c, services, auth, entry, db)
      return result
    })
  }
  const deedOf = (c: Ctx, action: string, collection = 'webhooks'): AuditEntry => ({
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
    .get('/deliveries/:id/request', async (c) => {
      const owner = ownerOf(await authOf(c, services))
      c.header('cache-control', 'no-store')
      return c.json(await readDeliveryRequest(store, owner, c.req.param('id'), services.otherForms))
    })
    .post('/deliveries/:id/resend', async (c) => {
      const id = c.req.param('id')
      const entry = deedOf(c, 'resend', 'webhook_deliveries')
      return c.json(await act(c, entry, (inside, owner) => resendDelivery(inside, owner, id)))
    })
}
