import type { Hono } from 'hono'
import { readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Services } from '../../http/context.ts'
import { routesFor } from '../../http/make-routes.ts'
import { chapter, type Operation } from '../../http/openapi/operations.ts'
import { SIGNED_IN } from '../../http/openapi/security.ts'
import { json } from '../../http/openapi/success-answers.ts'
import { bodyBytes } from '../../http/server/incoming-body.ts'
import { describeRefusals } from '../base/describe-refusals.ts'
import { type Act, may } from '../base/permissions.ts'
import type { RefusalCode } from '../base/refusals.ts'
import { checkShape } from '../base/schemas.ts'
import { RETRY_BATCH } from '../messages/queue/retry-body.ts'
import { IDEMPOTENCY, SHAPE } from '../messages/routes.openapi.ts'
import { readIdempotencyKey } from '../messages/send/idempotency.ts'
import type { Sending } from '../messages/send/sending.ts'
import { requirePerson } from '../messages/sender.ts'
import { CAMPAIGN, CAMPAIGN_CHANGE, readCampaignChange, readNewCampaign } from './body.ts'
import { changeCampaign } from './change.ts'
import { createCampaign } from './create.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign } from './pause-resume-cancel.ts'
import { CAMPAIGN_PREVIEW, previewCampaign } from './plan.ts'
import { CAMPAIGN_PROGRESS, readProgress } from './progress.ts'
import { CAMPAIGN_STATE } from './read-campaign-state.ts'
import { CAMPAIGN_TIMES, REPETITION, readRepetition, readTimes } from './repeat.ts'
import { RETRIED_CAMPAIGN, retryCampaign } from './retry.ts'

const MAX_BODY_BYTES = 1 << 20

/** `/api/campaigns`: texts to many, for a user who signed in. Errors are `{"error","message"}`. */
export function campaignRoutes(services: Services & { readonly sending: Sending }): Hono<Env> {
  const by = (act: Act) => async (c: Ctx) => {
    const sender = await requirePerson(c, services)
    return { permit: may(sender, act), sending: { ...services.sending, store: sender.store } }
  }
  type Campaigner = Awaited<ReturnType<ReturnType<typeof by>>>
  const steer =
    (how: typeof pauseCampaign) =>
    ({ permit, sending }: Campaigner, _: Ctx, id: string) =>
      how(sending, permit, id)
  const read = (c: Ctx) => readJson(c, MAX_BODY_BYTES)
  const reads = routesFor(by('readUsage'), {
    'POST /times': async ({ permit, sending }, c) => {
      const { repeat, scheduledAt } = readRepetition(await read(c), new Date())
      return readTimes(sending.store, permit.sender.user, repeat, scheduledAt)
    },
    'GET /:id/progress': ({ permit, sending }, _, id) => readProgress(sending.store, permit.sender.user, id),
  })
  return routesFor(by('campaign'), {
    'POST /': async ({ permit, sending }, c) => {
      const wanted = readNewCampaign(await read(c), new Date())
      const key = readIdempotencyKey(c.req.header('idempotency-key'))
      // messages are created after the answer, so that the user can still undo the send
      return createCampaign(sending, permit, wanted, key)
    },
    'POST /preview': async ({ permit, sending }, c) =>
      previewCampaign(sending, permit, readNewCampaign(await read(c), new Date())),
    'PATCH /:id': async ({ permit, sending }, c, id) =>
      changeCampaign(sending, permit, id, readCampaignChange(await read(c), new Date())),
    'POST /:id/pause': steer(pauseCampaign),
    'POST /:id/resume': steer(resumeCampaign),
    'POST /:id/cancel': steer(cancelCampaign),
    'POST /:id/retry': async ({ permit, sending }, c, id) => {
      const body = checkShape(RETRY_BATCH, bodyBytes(c.env.incoming) > 0 ? await read(c) : {})
      return retryCampaign(sending, permit, id, body)
    },
  }).route('/', reads)
}

const GIVEN: readonly RefusalCode[] = [
  ...SHAPE,
  'invalid_template',
  'destination_not_allowed',
  'group_not_found',
]
const DEVICE_AND_LINE: readonly RefusalCode[] = ['device_not_found', 'line_not_found', 'line_ambiguous']

const steered = (
  verb: string,
  summary: string,
  description: string,
  ...refused: readonly RefusalCode[]
): Operation => ({
  id: `${verb}Campaign`,
  summary,
  description,
  answer: ['How it is now.', CAMPAIGN_STATE],
  refuses: describeRefusals('campaign_not_found', ...refused),
})

export const campaignPaths = () =>
  chapter('campaigns', SIGNED_IN, {
    'POST /api/campaigns': {
      id: 'createCampaign',
      summary: 'Send a text to many',
      description:
        'Stores the campaign and answers; its messages follow. Without `scheduled_at` it begins after `hold_seconds`; a cancel before that stops all of it. Members who have opted out are left out. A repeated request with the same Idempotency-Key returns the first campaign.',
      answer: ['The campaign.', CAMPAIGN_STATE],
      refuses: describeRefusals(...GIVEN, 'quota_exceeded', ...DEVICE_AND_LINE),
      params: { header: IDEMPOTENCY },
      body: [
        CAMPAIGN,
        {
          name: 'Summer sale',
          body: '20 % off until Friday',
          group_ids: ['g1r2o3u4p5i6d7x'],
          scheduled_at: '2026-11-20T07:00:00Z',
        },
      ],
    },
    'POST /api/campaigns/preview': {
      id: 'previewCampaign',
      summary: 'Count the texts of a campaign before it is sent',
      description: 'Accepts the body of a new campaign and stores nothing.',
      answer: ['People, segments and the first text.', CAMPAIGN_PREVIEW],
      refuses: describeRefusals(...GIVEN, ...DEVICE_AND_LINE),
      body: [CAMPAIGN],
    },
    'POST /api/campaigns/times': {
      id: 'readCampaignTimes',
      summary: 'See when a campaign would repeat',
      description: 'Stores nothing.',
      answer: ['The next times.', CAMPAIGN_TIMES],
      refuses: describeRefusals('invalid_request'),
      body: [REPETITION, { repeat: { cron: '30 8 * * 1', time_zone: 'Europe/Berlin' } }],
    },
    'PATCH /api/campaigns/{id}': {
      id: 'changeCampaign',
      summary: 'Change a campaign of which nothing has left',
      description:
        'Absent fields stay unchanged. A new text, time or audience cancels the waiting messages and creates new ones; members of groups are read again. The name can be changed at any time.',
      answer: ['How it is now.', CAMPAIGN_STATE],
      refuses: describeRefusals(
        ...GIVEN,
        'quota_exceeded',
        'campaign_not_found',
        'campaign_begun',
        'campaign_busy',
      ),
      body: [CAMPAIGN_CHANGE, { body: '30 % off until Friday' }],
    },
    'POST /api/campaigns/{id}/pause': steered(
      'pause',
      'Pause a campaign',
      'What no device has claimed waits until the campaign is resumed; it still ends at `expires_at`. What a device has goes on. Again is no error.',
      'campaign_over',
      'campaign_busy',
    ),
    'POST /api/campaigns/{id}/resume': steered(
      'resume',
      'Resume a paused campaign',
      'It goes on at its time, or at once when that is past; one that repeats, at its next time. Again is no error.',
      'campaign_over',
      'campaign_busy',
    ),
    'POST /api/campaigns/{id}/cancel': steered(
      'cancel',
      'Cancel a campaign',
      'Ends all its messages that no device has claimed, and gives their quota back. A campaign that repeats has no more runs. A repeated request is no error.',
      'campaign_over',
    ),
    'POST /api/campaigns/{id}/retry': {
      id: 'retryCampaign',
      summary: 'Send the failed messages of a campaign again',
      description:
        'Sends new messages with the same texts to the same numbers, by any device; each failed message at most once. They count against the quota and belong to the campaign.',
      answer: ['What was sent again.', RETRIED_CAMPAIGN],
      refuses: describeRefusals(
        'campaign_not_found',
        'quota_exceeded',
        'destination_not_allowed',
        'campaign_not_retriable',
        'campaign_busy',
        'batch_not_found',
        'no_devices',
      ),
      requestBody: { required: false, content: json(RETRY_BATCH, { include: ['unknown'] }) },
    },
    'GET /api/campaigns/{id}/progress': {
      id: 'readCampaignProgress',
      summary: 'See how far a campaign is',
      description: 'Counts its messages, the replies and the opt-outs.',
      answer: ['How far it is.', CAMPAIGN_PROGRESS],
      refuses: describeRefusals('campaign_not_found'),
    },
  })
