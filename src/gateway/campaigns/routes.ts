import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import type { Operation } from '../../http/openapi/describe-operations.ts'
import { describeJson } from '../../http/openapi/success-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import { readBodyLength } from '../../http/server/incoming-body.ts'
import { checkShape } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import type { RefusalCode } from '../base/gateway-errors.ts'
import { RETRY_BATCH } from '../messages/queue/retry-schemas.ts'
import {
  type ActingCaller,
  allowCheckedSender,
  allowPerson,
  allowReader,
} from '../messages/require-sender.ts'
import { readIdempotency } from '../messages/send/idempotency.ts'
import { listAskedAgain } from '../messages/send/read-media.ts'
import { allowFiles, readSendRequest } from '../messages/send/read-send-request.ts'
import { SHAPE } from '../messages/send-routes.ts'
import { CAMPAIGN, CAMPAIGN_CHANGE, readCampaignChange, readNewCampaign } from './campaign-body.ts'
import { addCampaignFiles, makeCampaignLoad } from './campaign-files.ts'
import { requireAudiencePermit, requireOwnCampaign } from './campaign-permission.ts'
import { CAMPAIGN_PROGRESS, loadCampaignProgress } from './campaign-progress.ts'
import { CAMPAIGN_ROWS, listCampaignRows, ROW_PAGE } from './campaign-rows.ts'
import { changeCampaign } from './change-campaign.ts'
import { createCampaign } from './create-campaign.ts'
import { CAMPAIGN_STATE } from './load-campaign-state.ts'
import { loadStoredReminders, NEXT_REMINDERS } from './next-reminders.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign } from './pause-resume-cancel.ts'
import { previewReminder } from './plan-reminder-campaign.ts'
import { CAMPAIGN_PREVIEW, previewCampaign } from './preview-campaign.ts'
import { listReminderSources, REMINDER_SOURCES } from './reminder-source.ts'
import { CAMPAIGN_TIMES, REPETITION, readRepetition, readTimes } from './repetition.ts'
import { RETRIED_CAMPAIGN, retryCampaign } from './retry-campaign.ts'

const MAX_BODY_BYTES = 1 << 20
/** 20,000 rows of a list with 400 bytes of values. */
const MAX_LIST_BYTES = 8 << 20

const GIVEN: readonly RefusalCode[] = [
  ...SHAPE,
  'invalid_template',
  'destination_not_allowed',
  'group_not_found',
  'campaign_not_found',
  'too_many_recipients',
  'mms_not_supported',
  'files_too_large',
]
const DEVICE_AND_LINE: readonly RefusalCode[] = [
  'device_not_found',
  'line_not_found',
  'line_ambiguous',
]

const describeStatusRoute = (
  verb: string,
  change: typeof pauseCampaign,
  summary: string,
  description: string,
  ...refused: readonly RefusalCode[]
) => ({
  permission: allowCheckedSender('list'),
  bound: OF_WAITING,
  describe: {
    id: `${verb}Campaign`,
    summary,
    description,
    answer: ['How it is now.', CAMPAIGN_STATE],
    fails: describeRefusals('campaign_not_found', ...refused),
  } satisfies Operation,
  run: async ({ permit, sending }: ActingCaller, _: Ctx, id: string) => {
    await requireOwnCampaign(sending.store.db, permit.sender, id)
    return change(sending, permit, id)
  },
})

const OF_AUDIENCE: Bound = {
  cost: 'the audience; contacts of the user if it names groups',
  by: '20,000 recipients (`MAX_AUDIENCE`), stored 1,000 at a time, with turns of accounts; members of groups are read in turns',
}
const OF_WAITING: Bound = {
  cost: 'waiting texts of the campaign',
  by: '20,000 recipients (`MAX_AUDIENCE`); 30 s',
}

const OF_DATES: Bound = {
  cost: 'records with a date, from today on',
  by: 'turns; 20 pages of 100 records',
}

/**
 * `/api/campaigns`: texts to many. API keys and agents make those to lists, and see their own. Errors are
 * `{"error","message"}`.
 */
export const CAMPAIGN_ROUTES = makeRoutes('campaigns', {
  'POST /api/campaigns': {
    permission: allowCheckedSender('list'),
    maxBytes: allowFiles(MAX_LIST_BYTES),
    bound: OF_AUDIENCE,
    idempotent: true,
    describe: {
      id: 'createCampaign',
      summary: 'Send a text to many',
      description:
        'Stores the campaign and answers; its messages follow. Without `scheduled_at` it begins after `hold_seconds`; a cancel before that stops all of it. Members who have opted out are left out. A repeated request with the same Idempotency-Key returns the first campaign; another request with it is refused.',
      answer: ['The campaign.', CAMPAIGN_STATE],
      fails: describeRefusals(
        ...GIVEN,
        'quota_exceeded',
        'idempotency_key_reused',
        ...DEVICE_AND_LINE,
      ),
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
    run: async (caller, c) => {
      const { json, uploads, list } = await readSendRequest(c, 'list')
      const given = readNewCampaign(json, new Date(), uploads.length, list)
      const permit = requireAudiencePermit(caller, given)
      const wanted = await addCampaignFiles(caller.store, caller.user, given)
      const key = c.env.incoming.idempotencyKey
      const asked = await listAskedAgain(key, json, list ? [...uploads, list] : uploads)
      const idempotency = readIdempotency(key, '/api/campaigns', asked)
      // messages are created after the answer, so that the user can still undo the send
      const load = makeCampaignLoad(caller, c, uploads, wanted)
      return createCampaign(caller.sending, permit, wanted, idempotency, load)
    },
  },
  'POST /api/campaigns/preview': {
    permission: allowCheckedSender('list'),
    maxBytes: allowFiles(MAX_LIST_BYTES),
    bound: OF_AUDIENCE,
    describe: {
      id: 'previewCampaign',
      summary: 'Count the texts of a campaign before it is sent',
      description: 'Accepts the body of a new campaign and stores nothing.',
      answer: ['People, segments and the first text.', CAMPAIGN_PREVIEW],
      fails: describeRefusals(...GIVEN, ...DEVICE_AND_LINE),
      body: [CAMPAIGN],
    },
    run: async (caller, c) => {
      const { sending, store, user } = caller
      const { json, uploads, list } = await readSendRequest(c, 'list')
      const given = readNewCampaign(json, new Date(), uploads.length, list)
      const permit = requireAudiencePermit(caller, given)
      const wanted = await addCampaignFiles(store, user, given)
      return wanted.reminder
        ? previewReminder(sending, permit, wanted, wanted.reminder)
        : previewCampaign(sending, permit, wanted)
    },
  },
  'POST /api/campaigns/times': {
    permission: allowPerson('readUsage'),
    maxBytes: MAX_BODY_BYTES,
    bound: {
      cost: 'constant cost',
      by: '389 times of a cron expression, in memory, in a place of heavy work',
    },
    describe: {
      id: 'readCampaignTimes',
      summary: 'See when a campaign would repeat',
      description: 'Stores nothing.',
      answer: ['The next times.', CAMPAIGN_TIMES],
      fails: describeRefusals('invalid_request'),
      body: [REPETITION, { repeat: { cron: '30 8 * * 1', time_zone: 'Europe/Berlin' } }],
    },
    run: async ({ store, user }, c) => {
      return readTimes(store, user, readRepetition(await readJsonBody(c), new Date()))
    },
  },
  'PATCH /api/campaigns/:id': {
    permission: allowCheckedSender('list'),
    maxBytes: allowFiles(MAX_BODY_BYTES),
    bound: OF_AUDIENCE,
    describe: {
      id: 'changeCampaign',
      summary: 'Change a campaign of which nothing has left',
      description:
        'Absent fields stay unchanged. A new text, time or audience, or other files, cancels the waiting messages and creates new ones; members of groups are read again. The name can be changed at any time.',
      answer: ['How it is now.', CAMPAIGN_STATE],
      fails: describeRefusals(...GIVEN, 'quota_exceeded', 'campaign_begun', 'campaign_busy'),
      body: [CAMPAIGN_CHANGE, { body: '30 % off until Friday' }],
    },
    run: async (caller, c, id) => {
      await requireOwnCampaign(caller.store.db, caller, id)
      const { json, uploads } = await readSendRequest(c)
      const change = readCampaignChange(json, new Date(), uploads.length)
      const load = makeCampaignLoad(caller, c, uploads, change)
      return changeCampaign(caller.sending, caller.permit, id, change, load)
    },
  },
  'POST /api/campaigns/:id/pause': describeStatusRoute(
    'pause',
    pauseCampaign,
    'Pause a campaign',
    'Texts that no device has claimed wait until the campaign is resumed; they still expire at `expires_at`. Texts that a device has claimed are still sent. Repeating the request has no effect.',
    'campaign_over',
    'campaign_busy',
  ),
  'POST /api/campaigns/:id/resume': describeStatusRoute(
    'resume',
    resumeCampaign,
    'Resume a paused campaign',
    'The campaign continues at its time, or at once if that has passed; a campaign that repeats, at its next time. Repeating the request has no effect.',
    'campaign_over',
    'campaign_busy',
  ),
  'POST /api/campaigns/:id/cancel': describeStatusRoute(
    'cancel',
    cancelCampaign,
    'Cancel a campaign',
    'Ends all its messages that no device has claimed, and gives their quota back. A campaign that repeats has no more runs. Repeating the request has no effect.',
    'campaign_over',
  ),
  'POST /api/campaigns/:id/retry': {
    permission: allowCheckedSender('list'),
    maxBytes: MAX_BODY_BYTES,
    bound: { ...OF_WAITING, cost: 'failed texts of the campaign' },
    describe: {
      id: 'retryCampaign',
      summary: 'Send the failed messages of a campaign again',
      description:
        'Sends new messages with the same texts to the same numbers, by any device; each failed message at most once. They count against the quota and belong to the campaign.',
      answer: ['What was sent again.', RETRIED_CAMPAIGN],
      fails: describeRefusals(
        'campaign_not_found',
        'quota_exceeded',
        'destination_not_allowed',
        'campaign_not_retriable',
        'campaign_busy',
        'batch_not_found',
        'no_devices',
      ),
      requestBody: {
        required: false,
        content: describeJson(RETRY_BATCH, { include: ['unknown'] }),
      },
    },
    run: async ({ permit, sending }, c, id) => {
      await requireOwnCampaign(sending.store.db, permit.sender, id)
      const body = checkShape(
        RETRY_BATCH,
        readBodyLength(c.env.incoming) > 0 ? await readJsonBody(c) : {},
      )
      return retryCampaign(sending, permit, id, body)
    },
  },
  'GET /api/campaigns/reminder-sources': {
    permission: allowPerson('campaign'),
    bound: { cost: 'fields of contacts, collections of superusers', by: '100 fields; 30 s' },
    describe: {
      id: 'listReminderSources',
      summary: 'List where reminders may find dates',
      description:
        'Contacts, if they have a field with a date, and the collections of superusers that your account may list and that have one.',
      answer: ['The sources.', REMINDER_SOURCES],
      fails: describeRefusals('invalid_request'),
    },
    run: ({ store, user }) => listReminderSources(store, user),
  },
  'GET /api/campaigns/:id/reminders': {
    permission: allowPerson('readUsage'),
    bound: OF_DATES,
    describe: {
      id: 'listNextReminders',
      summary: 'Show the next texts of a reminder',
      description: 'The next 20, the soonest first, as the records are now.',
      answer: ['The texts.', NEXT_REMINDERS],
      fails: describeRefusals('campaign_not_found', 'invalid_request'),
    },
    run: ({ user, sending }, _, id) => loadStoredReminders(sending, user, id),
  },
  'GET /api/campaigns/:id/progress': {
    permission: allowReader('readCampaign'),
    bound: { cost: 'texts of the campaign, incoming texts since it began', by: 'turns' },
    describe: {
      id: 'readCampaignProgress',
      summary: 'See how far a campaign is',
      description: 'Counts its messages, the replies and the opt-outs.',
      answer: ['How far it is.', CAMPAIGN_PROGRESS],
      fails: describeRefusals('campaign_not_found'),
    },
    run: async (caller, _, id) => {
      const { store } = caller
      await requireOwnCampaign(store.db, caller, id, true)
      return loadCampaignProgress(store, caller, id)
    },
  },
  'GET /api/campaigns/:id/recipients': {
    permission: allowReader('readCampaign'),
    bound: { cost: 'rows of a page', by: '500 rows of 20,000 (`MAX_AUDIENCE`)' },
    describe: {
      id: 'listRecipientsOfCampaign',
      summary: 'Read the rows of a list, with the text or the reason of each',
      description:
        'In the order of the file. Of a campaign without a list there are none. An API key sees the campaigns that it has made.',
      params: { query: ROW_PAGE },
      answer: ['A page of rows.', CAMPAIGN_ROWS],
      fails: describeRefusals('campaign_not_found'),
    },
    run: async (caller, c, id) => {
      await requireOwnCampaign(caller.store.db, caller, id, true)
      const page = checkShape(ROW_PAGE, c.env.incoming.query)
      return listCampaignRows(caller.store.db, caller.user, id, page)
    },
  },
})
