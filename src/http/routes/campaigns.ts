import { Hono } from 'hono'
import { readCampaignChange, readNewCampaign } from '../../sms/campaigns/body.ts'
import { changeCampaign } from '../../sms/campaigns/change.ts'
import { createCampaign } from '../../sms/campaigns/create.ts'
import { previewCampaign } from '../../sms/campaigns/preview.ts'
import { readProgress } from '../../sms/campaigns/progress.ts'
import { retryCampaign } from '../../sms/campaigns/retry.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../sms/campaigns/steer.ts'
import { RETRY_BATCH } from '../../sms/edit/retry-batch.ts'
import { readIdempotencyKey } from '../../sms/send/idempotency.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { readJson } from '../body/json-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { requireUser } from '../middleware/sender.ts'
import { sendRaw } from '../send-json.ts'
import { clientOfUser } from '../server/request-client.ts'
import { hasBody } from './sms.ts'

const MAX_BODY_BYTES = 1 << 20

/** `/api/campaigns`: texts to many, for a user who signed in. Errors are `{"error","message"}`. */
export function campaignRoutes(services: Services): Hono<Env> {
  const { store, sending } = services
  const steer = (how: typeof pauseCampaign) => async (c: Ctx) => {
    const { user } = await requireUser(c, services)
    return answer(c, await how(sending, user, c.req.param('id')!))
  }
  return new Hono<Env>()
    .post('/', async (c) => {
      const { user } = await requireUser(c, services)
      const wanted = readNewCampaign(await readJson(c, MAX_BODY_BYTES), new Date())
      const key = readIdempotencyKey(c.req.header('idempotency-key'))
      // the answer does not wait for thousands of messages: there may be seconds only to undo it
      return answer(c, await createCampaign(sending, user, wanted, key))
    })
    .post('/preview', async (c) => {
      const { user } = await requireUser(c, services)
      const wanted = readNewCampaign(await readJson(c, MAX_BODY_BYTES), new Date())
      return answer(c, await previewCampaign(store, user, wanted))
    })
    .patch('/:id', async (c) => {
      const { user } = await requireUser(c, services)
      const change = readCampaignChange(await readJson(c, MAX_BODY_BYTES), new Date())
      return answer(c, await changeCampaign(sending, user, c.req.param('id'), change))
    })
    .post('/:id/pause', steer(pauseCampaign))
    .post('/:id/resume', steer(resumeCampaign))
    .post('/:id/cancel', steer(cancelCampaign))
    .post('/:id/retry', async (c) => {
      const { user } = await requireUser(c, services)
      const body = checkShape(RETRY_BATCH, hasBody(c) ? await readJson(c, MAX_BODY_BYTES) : {})
      return answer(c, await retryCampaign(sending, user, c.req.param('id'), body))
    })
    .get('/:id/progress', async (c) => {
      const { user } = await requireUser(c, services)
      return answer(c, await readProgress(store, user, c.req.param('id'), clientOfUser(c, user)))
    })
}

const answer = (c: Ctx, value: object) => sendRaw(c, JSON.stringify(value))
