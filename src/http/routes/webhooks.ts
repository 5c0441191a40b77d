import { Hono } from 'hono'
import { ownerOf, rotateSecret } from '../../webhooks/hook.ts'
import { resendDelivery, resendFailed } from '../../webhooks/resend.ts'
import { sendTest } from '../../webhooks/test-event.ts'
import { authOf, type Ctx, type Env, type Services } from '../context.ts'
import { readJson } from '../json-body.ts'

const MAX_BODY_BYTES = 10_000

/**
 * `/api/webhooks`: what can be done with a webhook beyond its record. For its user, and for superusers. Errors are
 * `{"error","message"}`.
 */
export function webhookRoutes(services: Services): Hono<Env> {
  const { store } = services
  const owner = async (c: Ctx) => ownerOf(await authOf(c, services))
  return new Hono<Env>()
    .post('/:id/test', async (c) => c.json(await sendTest(store, await owner(c), c.req.param('id'))))
    .post('/:id/rotate', async (c) => c.json(await rotateSecret(store, await owner(c), c.req.param('id'))))
    .post('/:id/resend-failed', async (c) => {
      const whose = await owner(c)
      return c.json(await resendFailed(store, whose, c.req.param('id'), await readJson(c, MAX_BODY_BYTES)))
    })
    .post('/deliveries/:id/resend', async (c) =>
      c.json(await resendDelivery(store, await owner(c), c.req.param('id'))),
    )
}
