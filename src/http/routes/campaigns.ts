import { Hono } from 'hono'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { json, success } from '../../openapi/schemas/answers.ts'
import { chapter, type Operation } from '../../openapi/schemas/operations.ts'
import { callerRefusals, orTemplateFault, refusals } from '../../openapi/schemas/refusals.ts'
import { SIGNED_IN } from '../../openapi/schemas/security.ts'
import { CAMPAIGN, CAMPAIGN_CHANGE, readCampaignChange, readNewCampaign } from '../../sms/campaigns/body.ts'
import { CAMPAIGN_STATE } from '../../sms/campaigns/campaign.ts'
import { changeCampaign, createCampaign } from '../../sms/campaigns/change.ts'
import { CAMPAIGN_PREVIEW, previewCampaign } from '../../sms/campaigns/plan.ts'
import { CAMPAIGN_PROGRESS, readProgress } from '../../sms/campaigns/progress.ts'
import { RETRIED_CAMPAIGN, retryCampaign } from '../../sms/campaigns/retry.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../sms/campaigns/steer.ts'
import { RETRY_BATCH } from '../../sms/edit/retry.ts'
import { readIdempotencyKey } from '../../sms/send/idempotency.ts'
import type { RefusalCode } from '../../sms/send/refusal.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { readJson } from '../body/json-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { requireUser } from '../middleware/sender.ts'
import { sendRaw } from '../send-json.ts'
import { hasBody } from './sent.ts'
import { IDEMPOTENCY } from './sms.ts'

const MAX_BODY_BYTES = 1 << 20

/** `/api/campaigns`: texts to many, for a user who signed in. Errors are `{"error","message"}`. */
export function campaignRoutes(services: Services): Hono<Env> {
  const requireCampaigner = async (c: Ctx) => {
    const { user, store } = await requireUser(c, services)
    return { user, sending: { ...services.sending, store } }
  }
  const steer = (how: typeof pauseCampaign) => async (c: Ctx) => {
    const { user, sending } = await requireCampaigner(c)
    return answer(c, await how(sending, user, c.req.param('id')!))
  }
  return new Hono<Env>()
    .post('/', async (c) => {
      const { user, sending } = await requireCampaigner(c)
      const wanted = readNewCampaign(await readJson(c, MAX_BODY_BYTES), new Date())
      const key = readIdempotencyKey(c.req.header('idempotency-key'))
      // the answer does not wait for thousands of messages: there may be seconds only to undo it
      return answer(c, await createCampaign(sending, user, wanted, key))
    })
    .post('/preview', async (c) => {
      const { user, sending } = await requireCampaigner(c)
      const wanted = readNewCampaign(await readJson(c, MAX_BODY_BYTES), new Date())
      return answer(c, await previewCampaign(sending.store, user, wanted))
    })
    .patch('/:id', async (c) => {
      const { user, sending } = await requireCampaigner(c)
      const change = readCampaignChange(await readJson(c, MAX_BODY_BYTES), new Date())
      return answer(c, await changeCampaign(sending, user, c.req.param('id'), change))
    })
    .post('/:id/pause', steer(pauseCampaign))
    .post('/:id/resume', steer(resumeCampaign))
    .post('/:id/cancel', steer(cancelCampaign))
    .post('/:id/retry', async (c) => {
      const { user, sending } = await requireCampaigner(c)
      const body = checkShape(RETRY_BATCH, hasBody(c) ? await readJson(c, MAX_BODY_BYTES) : {})
      return answer(c, await retryCampaign(sending, user, c.req.param('id'), body))
    })
    .get('/:id/progress', async (c) => {
      const { user, sending } = await requireCampaigner(c)
      return answer(c, await readProgress(sending.store, user, c.req.param('id')))
    })
}

const answer = (c: Ctx, value: object) => sendRaw(c, JSON.stringify(value))

const SHAPE: readonly RefusalCode[] = [
  'invalid_request',
  'invalid_phone_number',
  'body_too_long',
  'too_many_recipients',
  'unauthorized',
  'quota_exceeded',
  'forbidden',
  'group_not_found',
  'request_too_large',
]
const DEVICE_AND_LINE: readonly RefusalCode[] = ['device_not_found', 'line_not_found', 'line_ambiguous']

const steered = (...refused: readonly RefusalCode[]): Operation => ({
  responses: [success('How it is now.', CAMPAIGN_STATE), callerRefusals('campaign_not_found', ...refused)],
})

/** `/api/campaigns`: texts to many. */
export const campaignPaths = (): ZodOpenApiPathsObject =>
  chapter('campaigns', SIGNED_IN, {
    'POST /api/campaigns': {
      responses: [
        success('The campaign.', CAMPAIGN_STATE),
        orTemplateFault(refusals(...SHAPE, ...DEVICE_AND_LINE)),
      ],
      params: { header: IDEMPOTENCY },
      body: [CAMPAIGN],
    },
    'POST /api/campaigns/preview': {
      responses: [
        success('People, segments and the first text.', CAMPAIGN_PREVIEW),
        orTemplateFault(refusals(...SHAPE.filter((code) => code !== 'quota_exceeded'), ...DEVICE_AND_LINE)),
      ],
      body: [CAMPAIGN],
    },
    'PATCH /api/campaigns/{id}': {
      responses: [
        success('How it is now.', CAMPAIGN_STATE),
        orTemplateFault(refusals(...SHAPE, 'campaign_not_found', 'campaign_begun', 'campaign_busy')),
      ],
      body: [CAMPAIGN_CHANGE],
    },
    'POST /api/campaigns/{id}/pause': steered('campaign_over', 'campaign_busy'),
    'POST /api/campaigns/{id}/resume': steered('campaign_over', 'campaign_busy'),
    'POST /api/campaigns/{id}/cancel': steered('campaign_over'),
    'POST /api/campaigns/{id}/retry': {
      responses: [
        success('What was sent again.', RETRIED_CAMPAIGN),
        callerRefusals(
          'invalid_request',
          'campaign_not_found',
          'quota_exceeded',
          'campaign_not_retriable',
          'campaign_busy',
          'batch_not_found',
          'request_too_large',
          'no_devices',
        ),
      ],
      requestBody: { required: false, content: json(RETRY_BATCH) },
    },
    'GET /api/campaigns/{id}/progress': {
      responses: [success('How far it is.', CAMPAIGN_PROGRESS), callerRefusals('campaign_not_found')],
    },
  })
